#!/bin/sh
# For somebody who has a Mac: programs of Tests/C, compiled for the simulator of iPhones, and a script that runs them
# there. Nothing here can run them: what they show is what the emulation of `make test-darwin` cannot, Apple's loader,
# libSystem and a Mac's processor.
#
#     sh kit.sh FOLDER              CLANG and LINKER from the environment
#
#     FOLDER      build/ios, after `make xcframework`; gets Darwin's open headers, and darwin-kit, a folder to copy to a
#                 Mac
#
# SPDX-License-Identifier: Apache-2.0
set -eu
ios=$1 kit=$1/darwin-kit
sh mk/ios/headers.sh "$ios/darwin-headers"
programs=$(python3 -B Tests/Table/run.py simulator)
rm -rf "$kit"
mkdir -p "$kit/programs" "$kit/sdk/usr/lib"
cp "$ios/ios-simulator/CCustomKeyboard" "$kit/programs/"
cp -r Tests/Vectors "$kit/"
cp LICENSE "$kit/"
# What is not the library's is looked for where it runs.
cat >"$kit/sdk/usr/lib/libSystem.tbd" <<'TBD'
--- !tapi-tbd
tbd-version: 4
targets: [ arm64-ios-simulator ]
install-name: '/usr/lib/libSystem.B.dylib'
exports: [ { targets: [ arm64-ios-simulator ], symbols: [ '_exit' ] } ]
...
TBD
for name in $programs; do
  "$CLANG" -target arm64-apple-ios15.0-simulator -nostdlibinc -isystem "$ios/darwin-headers" -std=c11 -O2 -w \
    -D_FORTIFY_SOURCE=0 -IInclude -ITests/C -c "Tests/C/$name.c" -o "$kit/$name.o"
  "$LINKER" -execute -arch arm64 -platform_version ios-simulator 15.0 15.0 -syslibroot "$kit/sdk" -e _main \
    -o "$kit/programs/$name" "$kit/$name.o" "$kit/programs/CCustomKeyboard" -lSystem -undefined dynamic_lookup \
    -rpath @executable_path/frameworks -fixup_chains
  rm "$kit/$name.o"
done
rm -r "$kit/sdk"
# Where the library's own name says that it is.
mkdir -p "$kit/programs/frameworks/CCustomKeyboard.framework"
mv "$kit/programs/CCustomKeyboard" "$kit/programs/frameworks/CCustomKeyboard.framework/"
cat >"$kit/run.sh" <<'RUN'
#!/bin/sh
# Runs the programs in the simulator that is booted, and writes report.txt: one line a program. You need a Mac with
# Apple's processor and Xcode's simulator: open Simulator first.
cd "$(dirname "$0")" || exit 1
{ sw_vers; uname -m; xcrun simctl list devices booted; } >report.txt
bad=0
for program in programs/*; do
  [ -f "$program" ] || continue
  name=$(basename "$program")
  set --
  [ "$name" != vectors ] || set -- "$PWD/Vectors"
  word=passed
  xcrun simctl spawn booted "$PWD/$program" "$@" >"$name.log" 2>&1 || { word=FAILED && bad=1; }
  echo "$name: $word: $(tail -n 1 "$name.log")" | tee -a report.txt
done
exit $bad
RUN
chmod +x "$kit/run.sh"
echo "$kit: $(find "$kit/programs" -maxdepth 1 -type f | wc -l) programs; on a Mac: sh run.sh"
