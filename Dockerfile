# A static binary and nothing else: no shell, no libc, no package. docker build -t eurekad:0.1.0 .
# docker buildx build --platform linux/amd64,linux/arm64 builds each for its own.
FROM rust:1.95-slim-trixie AS build
RUN apt-get update -q && apt-get install -y -q --no-install-recommends ca-certificates musl-tools
WORKDIR /src
RUN rustup target add "$(uname -m)-unknown-linux-musl"
COPY . .
# Shown by `eurekad --version`.
ARG EUREKAD_COMMIT
RUN target="$(uname -m)-unknown-linux-musl" \
 && cargo build --profile dist --locked --target "$target" --bin eurekad \
 && mkdir -p /image/app/config /image/var/lib/eurekad /image/etc/ssl/certs \
 && cp "target/$target/dist/eurekad" /image/eurekad \
 && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/

FROM scratch
ARG EUREKAD_COMMIT
LABEL org.opencontainers.image.title="eurekad" \
      org.opencontainers.image.description="A stand-alone Eureka service registry" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$EUREKAD_COMMIT" \
      org.opencontainers.image.licenses="Apache-2.0"
# Settings: environment variables (EUREKA_SERVER_…), arguments (--eureka.server.…=), or files mounted at /app/config.
# State, if eurekad.snapshot.path says so: /var/lib/eurekad.
COPY --from=build --chown=10001:10001 /image /
WORKDIR /app
USER 10001:10001
EXPOSE 8761
HEALTHCHECK --interval=10s --timeout=6s CMD ["/eurekad", "healthcheck"]
ENTRYPOINT ["/eurekad"]
