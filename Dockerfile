# Fairlead in an image: built on Debian, then only the program and the
# libraries it loads.
#
#	docker build -t fairlead .
#	docker run --rm -p 11211:11211 \
#	    -v "$PWD/my.yaml:/etc/fairlead/fairlead.yaml:ro" fairlead
#
# Listeners in the file must name 0.0.0.0 or [::] to be reached from outside.
#
# How this was verified: without a container engine. The commands of the RUN
# steps were run as root in a fresh Debian 12 root directory (debootstrap,
# chroot); /image, as they left it, was entered with chroot as 65532:65532,
# where the program started, served, reloaded, drained and ended with 0.
# The instructions around them (COPY --from, USER, ENTRYPOINT) have not been
# run.

FROM debian:bookworm-slim AS build

RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y \
        --no-install-recommends gcc libc6-dev libevent-dev \
        libjansson-dev libssl-dev libxxhash-dev libyaml-dev meson \
        ninja-build pkg-config

WORKDIR /source
COPY . .

RUN meson setup /build --buildtype=release -Db_lto=true --prefix=/usr \
        -Dtests=false \
 && ninja -C /build src/daemon/fairlead

# The program, each library that the loader names, and the loader itself, at
# the paths where they are found.
RUN mkdir -p /image/usr/sbin /image/etc/fairlead /image/tmp \
 && cp /build/src/daemon/fairlead /image/usr/sbin/ \
 && ldd /build/src/daemon/fairlead | grep -o '/[^ ]*' | sort -u \
  | while read -r library; do \
        mkdir -p "/image$(dirname "$library")" \
         && cp -L "$library" "/image$library" || exit 1; \
    done \
 && chmod 1777 /image/tmp \
 && printf 'fairlead:x:65532:65532::/:/usr/sbin/nologin\n' \
        > /image/etc/passwd \
 && printf 'fairlead:x:65532:\n' > /image/etc/group \
 && /image/usr/sbin/fairlead --version

FROM scratch

LABEL org.opencontainers.image.title="Fairlead" \
      org.opencontainers.image.description="A proxy that routes memcached commands by key" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="0.1.0"

COPY --from=build /image/ /

USER 65532:65532
EXPOSE 11211
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/sbin/fairlead"]
CMD ["-c", "/etc/fairlead/fairlead.yaml"]
