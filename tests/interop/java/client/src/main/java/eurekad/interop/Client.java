package eurekad.interop;

import com.netflix.discovery.EurekaClient;
import com.netflix.discovery.shared.Application;
import com.netflix.discovery.shared.Applications;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.cloud.client.loadbalancer.LoadBalanced;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestTemplate;

/** An ordinary application that tells over REST what it finds through Eureka. */
@SpringBootApplication
@RestController
public class Client {
    private final DiscoveryClient discovery;
    private final EurekaClient eureka;
    private final RestTemplate balanced;
    private final String instanceId;

    public Client(DiscoveryClient discovery, EurekaClient eureka, RestTemplate balanced,
            @Value("${eureka.instance.instance-id}") String instanceId) {
        this.discovery = discovery;
        this.eureka = eureka;
        this.balanced = balanced;
        this.instanceId = instanceId;
    }

    public static void main(String[] args) {
        SpringApplication.run(Client.class, args);
    }

    @Configuration(proxyBeanMethods = false)
    static class Calls {
        @Bean
        @LoadBalanced
        RestTemplate balanced() {
            return new RestTemplate();
        }
    }

    @GetMapping("/whoami")
    public String whoami() {
        return instanceId;
    }

    /** What Spring's DiscoveryClient finds under a service name: ids of the instances that are UP. */
    @GetMapping("/instances/{service}")
    public List<String> instances(@PathVariable("service") String service) {
        return discovery.getInstances(service).stream().map(ServiceInstance::getInstanceId).sorted()
                .collect(Collectors.toList());
    }

    /** Asks another application who it is, by its service name and through the load balancer. */
    @GetMapping("/call/{service}")
    public String call(@PathVariable("service") String service) {
        return balanced.getForObject("http://" + service + "/whoami", String.class);
    }

    /** The client's whole copy of the registry: the hash it computes and "APP/id" to status. */
    @GetMapping("/registry")
    public Map<String, Object> registry() {
        Applications all = eureka.getApplications();
        Map<String, String> status = new TreeMap<>();
        for (Application app : all.getRegisteredApplications()) {
            app.getInstancesAsIsFromEureka()
                    .forEach(i -> status.put(app.getName() + "/" + i.getId(), i.getStatus().name()));
        }
        return Map.of("hash", all.getReconcileHashCode(), "instances", status);
    }
}
