package eurekad.interop;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.IgnoreTopLevelConverterNotFoundBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.json.JsonWriter;
import org.springframework.boot.tomcat.autoconfigure.TomcatServerProperties;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.cloud.commons.util.InetUtils;
import org.springframework.cloud.commons.util.InetUtilsProperties;
import org.springframework.cloud.netflix.eureka.EurekaClientConfigBean;
import org.springframework.cloud.netflix.eureka.EurekaInstanceConfigBean;
import org.springframework.cloud.netflix.eureka.TimeoutProperties;
import org.springframework.cloud.netflix.eureka.config.EurekaTlsProperties;
import org.springframework.cloud.netflix.eureka.server.EurekaDashboardProperties;
import org.springframework.cloud.netflix.eureka.server.EurekaProperties;
import org.springframework.cloud.netflix.eureka.server.EurekaServerConfigBean;
import org.springframework.cloud.netflix.eureka.server.InstanceRegistryProperties;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.Resource;
import org.springframework.util.ObjectUtils;
import org.springframework.util.unit.DataSize;

/**
 * What Spring Boot makes of its settings, without the server: it gathers them as for the server, binds them to the
 * server's own beans, and prints what it put there, {"bound": {name: value}, "refused": {name: why}}.
 */
public class Settings {
    /** What is read by its name alone: conditions, and the defaults of InstanceRegistryProperties. */
    private static final List<String> ASKED_FOR = List.of("eureka.server.expectedNumberOfRenewsPerMin",
            "eureka.server.defaultOpenForTrafficCount", "eureka.server.metrics.enabled", "eureka.client.healthcheck.enabled",
            "eureka.client.refresh.enable", "eureka.client.jersey.enabled", "eureka.client.webclient.enabled",
            "eureka.client.restclient.enabled");

    public static void main(String[] args) {
        ConfigurableEnvironment environment = new SpringApplicationBuilder(Settings.class).web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF).logStartupInfo(false).run(args).getEnvironment();
        Recorder recorder = new Recorder();
        Binder binder = Binder.get(environment);
        Map<String, Object> beans = Map.of("eureka", new EurekaProperties(), "eureka.server", new EurekaServerConfigBean(),
                "eureka.instance", new EurekaInstanceConfigBean(new InetUtils(new InetUtilsProperties())),
                "eureka.instance.registry", new InstanceRegistryProperties(),
                "eureka.client", new EurekaClientConfigBean(), "eureka.client.tls", new EurekaTlsProperties(),
                "eureka.client.timeout", new TimeoutProperties(),
                "eureka.dashboard", new EurekaDashboardProperties(),
                "server", new ServerProperties(), "server.tomcat", new TomcatServerProperties());
        beans.forEach((prefix, bean) -> binder.bind(prefix, Bindable.ofInstance(bean), recorder));
        for (String name : ASKED_FOR) {
            if (environment.containsProperty(name)) {
                recorder.bound.put(name, environment.getProperty(name));
            }
        }
        String told = JsonWriter.standard().writeToString(Map.of("bound", recorder.bound, "refused", recorder.refused));
        System.out.writeBytes((told + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Keeps every value that is put into a bean, and goes on after one that cannot be. Otherwise as Spring binds beans. */
    private static class Recorder extends IgnoreTopLevelConverterNotFoundBindHandler {
        final Map<String, String> bound = new TreeMap<>();
        final Map<String, String> refused = new TreeMap<>();

        @Override
        public Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
            if (result instanceof Collection<?> || result.getClass().isArray()) {
                bound.keySet().removeIf(each -> each.startsWith(written(name) + "."));
                Object[] elements = ObjectUtils.toObjectArray(result instanceof Collection<?> all ? all.toArray() : result);
                bound.put(written(name), Stream.of(elements).map(String::valueOf).collect(Collectors.joining(",")));
            } else if (result instanceof InetAddress address) {
                bound.put(written(name), address.getHostAddress());
            } else if (result instanceof Resource file) {
                bound.put(written(name), file.getFilename());
            } else if (BeanUtils.isSimpleProperty(result.getClass()) || result instanceof DataSize) {
                bound.put(written(name), String.valueOf(result));
            }
            return result;
        }

        @Override
        public Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
            try {
                return super.onFailure(name, target, context, error);
            } catch (Exception notIgnored) {
                refused.put(written(name), String.valueOf(notIgnored.getMessage()));
                return null;
            }
        }

        /** With the keys of maps as they are in the map. */
        private static String written(ConfigurationPropertyName name) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < name.getNumberOfElements(); i++) {
                text.append(i == 0 ? "" : ".").append(name.getElement(i, Form.ORIGINAL));
            }
            return text.toString();
        }
    }
}
