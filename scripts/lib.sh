# shellcheck shell=sh disable=SC2154
# What the scripts share: messages, installing packages, building. Sourced; `root` is the source tree.
#
# Everything here writes to stderr only and stays quiet while all goes well.

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
	say "$*"
	exit 125
}

# quietly WHAT COMMAND...: shows the command's output only when it fails.
quietly() {
	quiet_what=$1
	shift
	quiet_log=$(mktemp "${TMPDIR:-/tmp}/relock-log.XXXXXX") || die "no temporary file could be made"
	if "$@" >"$quiet_log" 2>&1 </dev/null; then
		rm -f "$quiet_log"
		return 0
	fi
	tail -n 60 "$quiet_log" >&2
	rm -f "$quiet_log"
	say "$quiet_what failed; its last lines are above"
	return 1
}

# --- packages

# Prints those of the named packages that are not installed.
packages_missing() {
	# shellcheck disable=SC2086
	set -- $1
	packages_there=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
		sed -n 's/ installed$//p')
	for package; do
		printf '%s\n' "$packages_there" | grep -qxF -- "$package" || printf '%s ' "$package"
	done
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

services_directory=/run

# Process ids of the packaged services that are running, one a line, by the files their start scripts write. Processes of
# the same name that someone started otherwise are none of our business.
services_running() {
	for service in $packages_services; do
		cat "$services_directory/$service.pid" "$services_directory"/*/"$service.pid" 2>/dev/null
	done | grep -E '^[0-9]+$' | sort -u
}

# A package may start its service, which nobody asked for. Units are masked while it is installed; what starts all the
# same is ended, and only that.
services_hold() {
	services_new=
	services_before=$(services_running)
	for service in $packages_services; do
		case " $1 " in
		*" $service "*) services_new="$services_new $service" ;;
		esac
	done
	if [ -n "$services_new" ] && [ -d /run/systemd/system ]; then
		# shellcheck disable=SC2086
		as_root systemctl mask --runtime $services_new
	fi
}

services_release() {
	if [ -n "$services_new" ] && [ -d /run/systemd/system ]; then
		# shellcheck disable=SC2086
		as_root systemctl unmask --runtime $services_new
		# shellcheck disable=SC2086
		as_root systemctl disable $services_new
	fi
	for pid in $(services_running); do
		printf '%s\n' "$services_before" | grep -qx -- "$pid" || as_root kill "$pid"
	done
}

apt() {
	as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
		apt-get -y -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

# Lists that are missing or old name packages that are no more: they are fetched when a first try fails.
packages_install() {
	# shellcheck disable=SC2086
	apt install --no-install-recommends $1 || { apt update && apt install --no-install-recommends $1; }
}

# packages_need LIST: installs what is missing of it, or says what to install.
packages_need() {
	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		# shellcheck disable=SC2086
		say "this is no Debian system, so nothing is installed; what Debian calls" $1 "is needed"
		return 0
	fi
	packages_lacking=$(packages_missing "$1")
	[ -n "$packages_lacking" ] || return 0
	if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
		die "these packages are missing, and installing them needs root: run as root:" \
			"apt-get install --no-install-recommends $packages_lacking"
	fi
	say "installing $packages_lacking"
	if [ "$(id -u)" != 0 ]; then
		sudo -v || die "installing needs sudo; run as root: apt-get install $packages_lacking"
	fi
	services_hold "$packages_lacking" >/dev/null 2>&1
	packages_status=0
	quietly "installing packages" packages_install "$packages_lacking" || packages_status=1
	services_release >/dev/null 2>&1
	[ "$packages_status" = 0 ] || die "install by hand: $packages_lacking"
}

# --- building

# A directory from an older tree or a moved one has a cache that does not fit: it is made anew.
build_configure() {
	(cd "$root" && { cmake --preset "$1" || { rm -rf "build/$1" && cmake --preset "$1"; }; })
}

# Held while configuring and building, so that two scripts at once do not build into one directory.
build_locked() {
	mkdir -p "$root/build"
	(
		flock 9
		"$@"
	) 9>"$root/build/.lock"
}
