# shellcheck shell=bash
#
# What Fairlead needs from the system, and how to get it. Sourced by ../run
# and ../test.
#
# A package is needed when its probe fails, so a machine that has the same
# thing from elsewhere is left alone. Packages have Debian's names.

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
	say "$*"
	exit 1
}

# The Python that has the distribution's packages, not one in front of it in
# the PATH.
PYTHON=/usr/bin/python3

has_command() {
	local name

	for name in "$@"; do
		command -v "$name" >/dev/null 2>&1 && return 0
	done
	return 1
}

has_library() {
	pkg-config --exists "$@" 2>/dev/null
}

has_module() {
	"$PYTHON" -c "import $1" 2>/dev/null
}

has_php_extension() {
	php -r "exit(extension_loaded('$1') ? 0 : 1);" 2>/dev/null
}

has_perl_module() {
	/usr/bin/perl "-M$1" -e 1 2>/dev/null
}

has_headers() {
	echo '#include <stdio.h>' | cc -E - >/dev/null 2>&1
}

# Where clang's sanitizer and fuzzer libraries are, it names their files.
has_clang_runtime() {
	local file

	file=$(clang -print-file-name=libclang_rt.fuzzer-"$(uname -m)".a 2>&1)
	[ -e "$file" ] && return 0
	file=$(clang -fsanitize=fuzzer -### -x c /dev/null 2>&1 |
		grep -o '[^" ]*libclang_rt.fuzzer[^" ]*\.a' | head -n 1)
	[ -n "$file" ] && [ -e "$file" ]
}

clang_runtime_package() {
	local version

	version=$(clang -dumpversion 2>/dev/null) || version=
	echo "libclang-rt-${version%%.*}-dev"
}

# Whether what the package brings is there.
is_there() {
	case $1 in
	gcc) has_command cc && has_command gcc ;;
	libc6-dev) has_headers ;;
	pkg-config) has_command pkg-config ;;
	meson) has_command meson ;;
	ninja-build) has_command ninja ;;
	libevent-dev) has_library libevent_core libevent_extra ;;
	libyaml-dev) has_library yaml-0.1 ;;
	libxxhash-dev) has_library libxxhash ;;
	libjansson-dev) has_library jansson ;;
	libmd-dev) has_library libmd ;;
	check) has_library check ;;
	clang) has_command clang ;;
	libclang-rt-*-dev) has_clang_runtime ;;
	python3) [ -x "$PYTHON" ] ;;
	python3-pytest) has_module pytest ;;
	python3-jsonschema) has_module jsonschema ;;
	python3-yaml) has_module yaml ;;
	python3-prometheus-client) has_module prometheus_client ;;
	python3-pymemcache) has_module pymemcache ;;
	python3-pylibmc) has_module pylibmc ;;
	python3-memcache) has_module memcache ;;
	php-cli) has_command php ;;
	php-memcached) has_php_extension memcached ;;
	libcache-memcached-fast-perl) has_perl_module Cache::Memcached::Fast ;;
	libcache-memcached-perl) has_perl_module Cache::Memcached ;;
	munin-plugins-extra) [ -e /usr/share/munin/plugins/memcached_ ] ;;
	libmemcached-dev) has_library libmemcached ;;
	golang-go) has_command go ;;
	golang-github-bradfitz-gomemcache-dev)
		[ -d /usr/share/gocode/src/github.com/bradfitz/gomemcache ] ;;
	nodejs) has_command node ;;
	default-jdk-headless) has_command javac ;;
	libspymemcached-java) [ -e /usr/share/java/spymemcached.jar ] ;;
	libmemcached-tools) has_command memccapable ;;
	nutcracker) PATH=$PATH:/usr/sbin has_command nutcracker ;;
	systemd) has_command systemd-socket-activate ;;
	prometheus) has_command promtool ;;
	memcached | valgrind | shellcheck | mandoc | chromium | npm)
		has_command "$1" ;;
	util-linux) has_command unshare ;;
	*) die "nothing is known of the package $1" ;;
	esac
}

# find_missing PACKAGE...: those that are missing go to the array `missing`.
# Not in a subshell, in which die() would end nothing but that.
find_missing() {
	local package

	missing=()
	for package in "$@"; do
		is_there "$package" || missing+=("$package")
	done
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# Debian starts a service when its package arrives. That of memcached would
# sit on port 11211, which is the one that Fairlead wants, so services rest
# while we install, and this one is not started at the next boot either.
POLICY=/usr/sbin/policy-rc.d

forbid_services() {
	printf '#!/bin/sh\nexit 101\n' | as_root tee "$POLICY" >/dev/null
	as_root chmod 755 "$POLICY"
}

apt_get() {
	as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -o DPkg::Lock::Timeout=300 "$@"
}

# In a shell of its own, so that services may start again whatever happens.
install_packages() (
	had_memcached=yes
	has_command memcached || had_memcached=no
	apt_get update -q >&2 ||
		say "the package lists could not be renewed; going on with them"
	if [ ! -e "$POLICY" ]; then
		trap 'as_root rm -f "$POLICY"' EXIT
		forbid_services
	fi
	apt_get install -y -q --no-install-recommends "$@" >&2
	if [ "$had_memcached" = no ] && has_command memcached &&
		has_command systemctl; then
		as_root systemctl --quiet disable memcached 2>/dev/null || true
	fi
)

# Installs those of the packages that are missing, or says which and stops.
need() {
	local -a missing

	find_missing "$@"
	[ "${#missing[@]}" -gt 0 ] || return 0
	if ! has_command apt-get; then
		die "missing: ${missing[*]} (Debian's names). This system has" \
			"no apt-get; install them by its own means and try again."
	fi
	if [ "$(id -u)" -ne 0 ] && ! has_command sudo; then
		die "missing: ${missing[*]}. Install them as root: apt-get" \
			"install ${missing[*]}"
	fi
	say "installing: ${missing[*]}"
	install_packages "${missing[@]}" || die "installing failed: ${missing[*]}"
	find_missing "$@"
	[ "${#missing[@]}" -eq 0 ] ||
		die "installed, but not found afterwards: ${missing[*]}"
}

# shellcheck disable=SC2034	# for those who source this
BUILD_PACKAGES=(gcc libc6-dev pkg-config meson ninja-build libevent-dev
	libyaml-dev libxxhash-dev libmd-dev libjansson-dev)
