# Fairlead in an image: one static program, certificates, licences, an example.
#
#	docker build -t fairlead .
#	docker run --rm -p 127.0.0.1:11211:11211 -e MEMCACHED=10.0.0.1:11211 fairlead
#	docker run --rm -p 127.0.0.1:11211:11211 \
#	    -v "$PWD/conf:/etc/fairlead:ro" fairlead
#
# It needs no writable root, no capability and no user of its own: add
# --read-only --cap-drop ALL --user 12345. Listeners in the file must name
# 0.0.0.0 or [::] to be reached from outside. HEALTHCHECK asks the admin
# listener at 127.0.0.1:9211; with a file that has none, or has it elsewhere,
# say --no-healthcheck or name the right one.
#
# For arm64, build with --platform linux/arm64. For the same bytes again, name
# the base by its digest and give SOURCE_DATE_EPOCH.
#
# How this was verified: without a container engine. The commands of the RUN
# steps were run as root in a fresh Debian 12 root directory (debootstrap,
# chroot); /image, as they left it, was mounted read-only and entered with
# chroot as 12345:12345, where the program served, answered its probes,
# reloaded, drained and ended with 0. The instructions around them (COPY
# --from, USER, HEALTHCHECK, ENTRYPOINT) have not been run.

ARG BASE=debian:bookworm-slim
FROM ${BASE} AS build

RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y \
        --no-install-recommends ca-certificates gcc libc6-dev libevent-dev \
        libjansson-dev libmd-dev libxxhash-dev libyaml-dev meson \
        ninja-build pkg-config python3

WORKDIR /source
COPY . .

# What the program asks of libc's name services it never uses: names are
# resolved by libevent, from /etc/resolv.conf and /etc/hosts.
RUN meson setup /build --buildtype=release -Db_lto=true --prefix=/usr \
        -Dtests=false -Dprefer_static=true -Dc_link_args=-static-pie \
 && ninja -C /build src/daemon/fairlead

RUN mkdir -p /image/usr/sbin /image/etc/fairlead /image/etc/ssl/certs \
        /image/usr/share/licenses \
 && strip -o /image/usr/sbin/fairlead /build/src/daemon/fairlead \
 && cp conf/container.yaml /image/etc/fairlead/fairlead.yaml \
 && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ \
 && cp LICENSE /image/usr/share/licenses/fairlead \
 && for package in libc6 libevent-dev libjansson-dev libmd-dev \
        libxxhash-dev libyaml-dev; do \
        cp /usr/share/doc/$package/copyright \
            /image/usr/share/licenses/$package || exit 1; \
    done \
 && printf 'fairlead:x:65532:65532::/:/usr/sbin/nologin\n' \
        > /image/etc/passwd \
 && printf 'fairlead:x:65532:\n' > /image/etc/group \
 && find /image -exec touch -h -d "@${SOURCE_DATE_EPOCH:-0}" {} + \
 && /image/usr/sbin/fairlead -t -c /image/etc/fairlead/fairlead.yaml

FROM scratch

LABEL org.opencontainers.image.title="Fairlead" \
      org.opencontainers.image.description="A proxy that routes memcached commands by key" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.base.name="scratch"

COPY --from=build /image/ /

USER 65532:65532
EXPOSE 11211
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=2s --start-period=10s \
    CMD ["/usr/sbin/fairlead", "probe", "live"]
ENTRYPOINT ["/usr/sbin/fairlead"]
CMD ["-c", "/etc/fairlead/fairlead.yaml"]
