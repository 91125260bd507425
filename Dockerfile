# A static binary and nothing else: no shell, no libc, no package. docker build -t eurekad:0.1.0 .
# docker buildx build --platform linux/amd64,linux/arm64 builds each for its own.
FROM rust:1.95-slim-trixie AS build
# Debian keeps one version of a package only.
# hadolint ignore=DL3008
RUN apt-get update -q && apt-get install -y -q --no-install-recommends ca-certificates musl-tools
# Writes into the binary what it is made of: scanners of images find it there.
RUN cargo install --quiet --locked --debug cargo-auditable --version 0.7.7
WORKDIR /src
RUN rustup target add "$(uname -m)-unknown-linux-musl"
COPY . .
# Shown by `eurekad --version`.
ARG EUREKAD_COMMIT
RUN target="$(uname -m)-unknown-linux-musl" \
 && cargo auditable build --profile dist --locked --target "$target" --bin eurekad \
 && mkdir -p /image/app/config /image/etc/ssl/certs /state \
 && strip -o /image/eurekad "target/$target/dist/eurekad" \
 && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/

FROM scratch
ARG EUREKAD_COMMIT
LABEL org.opencontainers.image.title="eurekad" \
      org.opencontainers.image.description="A stand-alone Eureka service registry" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$EUREKAD_COMMIT" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /image /
# Settings: environment variables (EUREKA_SERVER_…), arguments (--eureka.server.…=), or files mounted at /app/config.
# State, if eurekad.snapshot.path says so: the one folder that the server may write to, if the root is writable at all.
COPY --from=build --chown=10001:10001 /state /var/lib/eurekad
WORKDIR /app
# docker exec NAME eurekad ls
ENV PATH=/
USER 10001:10001
EXPOSE 8761
# It knows the port from the environment and from files, not from arguments. A node may wait for a peer's registry at first.
HEALTHCHECK --interval=10s --timeout=6s --start-period=130s CMD ["/eurekad", "healthcheck"]
ENTRYPOINT ["/eurekad"]
