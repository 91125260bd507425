FROM rust:1.95-slim-trixie AS build
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY src src
COPY templates templates
COPY tests/main.rs tests/main.rs
COPY benches benches
# Shown by `eurekad --version`.
ARG EUREKAD_COMMIT
RUN cargo build --profile dist --locked --bin eurekad

FROM debian:trixie-slim
# Settings: environment variables (EUREKA_SERVER_…), arguments (--eureka.server.…=), or files mounted at /app/config.
WORKDIR /app
COPY --from=build /src/target/dist/eurekad /usr/local/bin/eurekad
USER 10001:10001
EXPOSE 8761
HEALTHCHECK --interval=10s --timeout=6s CMD ["eurekad", "healthcheck"]
ENTRYPOINT ["eurekad"]
