package eurekad.interop;

import com.netflix.appinfo.ApplicationInfoManager;
import com.netflix.appinfo.EurekaInstanceConfig;
import com.netflix.appinfo.InstanceInfo;
import com.netflix.appinfo.MyDataCenterInstanceConfig;
import com.netflix.appinfo.providers.EurekaConfigBasedInstanceInfoProvider;
import com.netflix.discovery.CacheRefreshedEvent;
import com.netflix.discovery.DefaultEurekaClientConfig;
import com.netflix.discovery.DiscoveryClient;
import com.netflix.discovery.shared.Applications;
import com.netflix.discovery.shared.transport.jersey3.Jersey3TransportClientFactories;
import java.util.stream.Collectors;

/**
 * Netflix's client without Spring, configured by -Deureka.* properties. After each fetch it prints its copy of the
 * registry in one line, "registry HASH APP/id=STATUS …"; on SIGTERM it deregisters.
 */
public class Plain {
    public static void main(String[] args) throws InterruptedException {
        EurekaInstanceConfig config = new MyDataCenterInstanceConfig();
        InstanceInfo self = new EurekaConfigBasedInstanceInfoProvider(config).get();
        ApplicationInfoManager manager = new ApplicationInfoManager(config, self);
        manager.setInstanceStatus(InstanceInfo.InstanceStatus.UP);
        DiscoveryClient client = new DiscoveryClient(manager, new DefaultEurekaClientConfig(),
                Jersey3TransportClientFactories.getInstance());
        client.registerEventListener(event -> {
            if (event instanceof CacheRefreshedEvent) {
                System.out.println(line(client.getApplications()));
            }
        });
        Runtime.getRuntime().addShutdownHook(new Thread(client::shutdown));
        Thread.currentThread().join();
    }

    private static String line(Applications all) {
        return "registry " + all.getReconcileHashCode() + " " + all.getRegisteredApplications().stream()
                .flatMap(app -> app.getInstancesAsIsFromEureka().stream())
                .map(i -> i.getAppName() + "/" + i.getId() + "=" + i.getStatus())
                .sorted().collect(Collectors.joining(" "));
    }
}
