package eurekad.interop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.netflix.eureka.server.EnableEurekaServer;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Asks for a login by HTTP Basic, and exempts the API from CSRF, as Spring's own manual says. */
@SpringBootApplication
@EnableEurekaServer
public class SecuredServer {
    public static void main(String[] args) {
        SpringApplication.run(SecuredServer.class, args);
    }

    @Bean
    SecurityFilterChain login(HttpSecurity http) throws Exception {
        return http.csrf(csrf -> csrf.ignoringRequestMatchers("/eureka/**"))
                .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                .httpBasic(Customizer.withDefaults()).build();
    }
}
