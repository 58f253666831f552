# shellcheck shell=sh disable=SC2034
# Debian packages this project needs, in one place. Sourced by the other scripts.

# To build the command and the library.
packages_build="gcc libc6-dev cmake ninja-build pkg-config
	libinih-dev libdw-dev libelf-dev libcjson-dev libunwind-dev"

# To build and run the tests.
packages_test="check git g++ clang clang-format libclang-rt-dev shellcheck python3 man-db binutils gnuplot-nox
	e2fsprogs btrfs-progs"

# To fuzz.
packages_fuzz="check clang libclang-rt-dev"

# Real programs that the tests run under relock. Some bring a service, which is not to be started: see packages_services.
packages_programs="pigz pbzip2 zstd xz-utils memcached libmemcached-tools redis-server redis-tools sysbench
	rocksdb-tools kyotocabinet-utils stress-ng openjdk-17-jre-headless libjemalloc2"

# Services among the packages above: package name, unit and process have one name each.
packages_services="memcached redis-server"
