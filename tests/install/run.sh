#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh - installs into a folder and lives with it as a user does, as TAP: what is there, consumers through pkg-config,
# CMake and Meson, shared and static, from a tree that was moved; sizes and times; uninstalling leaves nothing.
set -u
cd "$(dirname "$0")/../.."
top=$(pwd)
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
n=0 failed=0
cc=${CC:-cc}
# NAME COMMAND...: a case; what the command says is shown when it fails.
try() {
    name=$1
    shift
    n=$((n + 1))
    if "$@" >"$root/said" 2>&1; then
        echo "ok $n - $name"
    else
        sed 's/^/# /' "$root/said"
        echo "not ok $n - $name"
        failed=$((failed + 1))
    fi
}
skip() {
    n=$((n + 1))
    echo "ok $n - $1 # SKIP $2"
}
have() { command -v "$1" >/dev/null 2>&1 || scripts/need "$1" >/dev/null 2>&1; }
prints() { # EXPECTED COMMAND...
    expected=$1
    shift
    got=$("$@") && [ "$got" = "$expected" ] || { echo "expected: $expected"; echo "got: $got"; return 1; }
}

try 'installs' env DESTDIR="$root/first" PREFIX=/usr ./run install
mv "$root/first" "$root/moved" # nothing in it may know where it was
tree=$root/moved/usr
lib=$(dirname "$(find "$tree" -name 'libchaac.so.0')")
version=$(scripts/version)
says="chaac $version: 12"
export LD_LIBRARY_PATH="$lib" CMAKE_PREFIX_PATH="$tree"
export PKG_CONFIG_PATH="$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root/moved"

there() {
    for file in bin/chaac include/chaac/chaac.h \
        share/man/man1/chaac.1 share/man/man1/chaac-run.1 share/man/man3/chaac.3 \
        share/bash-completion/completions/chaac share/zsh/site-functions/_chaac \
        share/fish/vendor_completions.d/chaac.fish; do
        [ -e "$tree/$file" ] || { echo "no $file"; return 1; }
    done
    for file in libchaac.so libchaac.a pkgconfig/chaac.pc cmake/chaac/chaac-config.cmake \
        cmake/chaac/chaac-config-version.cmake cmake/chaac/chaac-targets.cmake; do
        [ -e "$lib/$file" ] || { echo "no $file"; return 1; }
    done
}
try 'every file is there' there
try 'soname' sh -c "readelf -d '$lib/libchaac.so.0' | grep -q 'SONAME.*libchaac\\.so\\.0\\]'"
try 'exported names' scripts/symbols "$lib/libchaac.so.0"
no_build_paths() { ! grep -rlF -e "$top" "$tree"; }
try 'no path of the build in any file' no_build_paths
small() { size=$(stat -c %s "$lib/libchaac.so.0"); echo "$size bytes"; [ "$size" -le 3145728 ]; }
try 'the library is 3 MiB at most' small
# 200 starts in a second are 5 ms each; five tries, since the machine may be busy.
fast() {
    for _ in 1 2 3 4 5; do
        begin=$(date +%s%N)
        i=0
        while [ $i -lt 100 ]; do "$tree/bin/chaac" --version >/dev/null || return 1; i=$((i + 1)); done
        each=$((($(date +%s%N) - begin) / 100000))
        echo "$each microseconds"
        [ "$each" -le 5000 ] && return 0
    done
    return 1
}
try 'chaac --version takes 5 ms at most' fast
try 'the command runs' prints "chaac $version" "$tree/bin/chaac" --version

# ---- pkg-config
flags() { pkg-config "$@" chaac; }
# shellcheck disable=SC2046,SC2086  # the flags are words
through_pkg_config() {
    $cc -std=c11 -Wall -Werror tests/install/consumer.c -o "$root/shared" $(flags --cflags --libs) &&
        readelf -d "$root/shared" | grep -q 'NEEDED.*libchaac\.so\.0' && prints "$says" "$root/shared"
}
try 'pkg-config, shared' through_pkg_config
# shellcheck disable=SC2046,SC2086
through_pkg_config_static() {
    $cc -std=c11 -Wall -Werror tests/install/consumer.c -o "$root/static" $(flags --static --cflags) \
        "$lib/libchaac.a" $(flags --static --libs | sed 's/-lchaac//') &&
        ! readelf -d "$root/static" | grep -q 'libchaac' && env LD_LIBRARY_PATH= "$root/static" >/dev/null
}
try 'pkg-config, static' through_pkg_config_static
try 'pkg-config knows the version' prints "$version" flags --modversion
cpp() {
    printf '%s\n' '#include <chaac/chaac.h>' '#include <cstdio>' \
        'int main() { std::puts(ch_version()); ch_thread_end(); }' >"$root/c.cc"
    # shellcheck disable=SC2046,SC2086
    ${CXX:-c++} -std=c++17 -Wall -Werror "$root/c.cc" -o "$root/cpp" $(flags --cflags --libs) &&
        prints "$version" "$root/cpp"
}
try 'a C++17 program' cpp

# ---- CMake
with_cmake() {
    cmake -S tests/install -B "$root/cmake" -DCMAKE_BUILD_TYPE=Release && cmake --build "$root/cmake" &&
        prints "$says" "$root/cmake/shared" && prints "$says" env LD_LIBRARY_PATH= "$root/cmake/static"
}
cmake_refuses() { # another version is asked for
    mkdir -p "$root/other" && sed "s/chaac 0.1/chaac $1/" tests/install/CMakeLists.txt >"$root/other/CMakeLists.txt" &&
        cp tests/install/consumer.c "$root/other" && ! cmake -S "$root/other" -B "$root/other/build-$1"
}
if have cmake; then
    try 'CMake, shared and static' with_cmake
    try 'CMake refuses another minor version' cmake_refuses 0.2
    try 'CMake refuses another major version' cmake_refuses 1.0
else
    skip 'CMake' 'cmake is not here and could not be installed'
fi

# ---- Meson
meson_project() {
    mkdir -p "$root/$1" && cp tests/install/consumer.c tests/install/meson/meson.build "$root/$1"
}
from_system() {
    meson_project system && meson setup "$root/system/build" "$root/system" --wrap-mode=nofallback &&
        ninja -C "$root/system/build" && prints "$says" "$root/system/build/shared" &&
        prints "$says" "$root/system/build/static"
}
as_subproject() {
    meson_project sub && mkdir -p "$root/sub/subprojects" && ln -s "$top" "$root/sub/subprojects/chaac" &&
        env PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR=/nowhere:/usr/lib/pkgconfig \
            meson setup "$root/sub/build" "$root/sub" --wrap-mode=forcefallback -Doptimization=0 -Ddebug=false &&
        ninja -C "$root/sub/build" &&
        prints "$says" env LD_LIBRARY_PATH= "$root/sub/build/shared" &&
        prints "$says" env LD_LIBRARY_PATH= "$root/sub/build/static" &&
        ! readelf -d "$root/sub/build/static" | grep -q libchaac
}
try 'Meson, from the system' from_system
try 'Meson, as a subproject' as_subproject

# ---- gradients of C functions
gradients() { # NAME: a copy of the project
    rm -rf "${root:?}/$1" && cp -r tests/install/gradients "$root/$1"
}
says_gradient='15: 6 12'
grad_with_make() {
    gradients gmake && PATH="$tree/bin:$PATH" make -C "$root/gmake" CC="$cc" &&
        prints "$says_gradient" "$root/gmake/program" &&
        sleep 1 && sed -i 's/x\[i\] \* x\[i\]/x[i]/' "$root/gmake/model.c" && touch "$root/gmake/include/model.h" &&
        PATH="$tree/bin:$PATH" make -C "$root/gmake" CC="$cc" && prints '9: 3 3' "$root/gmake/program"
}
grad_with_cmake() { # GENERATOR
    gradients gcmake && cmake -G "$1" -S "$root/gcmake" -B "$root/gcmake/build" && cmake --build "$root/gcmake/build" &&
        prints "$says_gradient" "$root/gcmake/build/written" && sleep 1 &&
        touch "$root/gcmake/include/model.h" && cmake --build "$root/gcmake/build" --verbose >"$root/again" &&
        cat "$root/again" && grep -q 'chaac grad' "$root/again"
}
grad_checked() { # committed output: fresh, then not
    gradients gchecked && "$tree/bin/chaac" grad -o "$root/gchecked/model.grad.c" "$root/gchecked/model.c" -- \
        -I"$root/gchecked/include" -I"$tree/include" -DFACTOR=3 &&
        cmake -S "$root/gchecked" -B "$root/gchecked/build" && cmake --build "$root/gchecked/build" &&
        prints "$says_gradient" "$root/gchecked/build/checked" && sleep 1 &&
        echo '/* changed */' >>"$root/gchecked/model.grad.c" && touch "$root/gchecked/model.c" &&
        ! cmake --build "$root/gchecked/build"
}
grad_with_meson() {
    gradients gmeson && PATH="$tree/bin:$PATH" meson setup "$root/gmeson/build" "$root/gmeson" &&
        ninja -C "$root/gmeson/build" && prints "$says_gradient" "$root/gmeson/build/program"
}
if "$tree/bin/chaac" grad --c tests/install/gradients/model.c -o "$root/out.c" -- -DFACTOR=3 \
    -Itests/install/gradients/include -I"$tree/include" >"$root/said" 2>&1; then
    try 'gradients with make' grad_with_make
    if have cmake; then
        try 'gradients with CMake and make' grad_with_cmake 'Unix Makefiles'
        try 'gradients with CMake and ninja' grad_with_cmake Ninja
        try 'committed gradients with CMake' grad_checked
    else
        skip 'gradients with CMake' 'cmake is not here and could not be installed'
    fi
    try 'gradients with Meson' grad_with_meson
else
    sed 's/^/# /' "$root/said"
    skip 'gradients of C functions' 'this build has no C front end, or libclang is not installed'
fi

# ---- uninstalling
mv "$root/moved" "$root/first"
touch "$root/first/usr/bin/somebody-else"
try 'uninstalls' env DESTDIR="$root/first" PREFIX=/usr ./run uninstall
nothing_left() { prints "$root/first/usr/bin/somebody-else" find "$root/first" -type f -o -type l -o -name '*chaac*'; }
try 'nothing is left but what others put there' nothing_left
echo "1..$n"
echo "$((n - failed)) passed, $failed failed"
exit $((failed > 0))
