#!/usr/bin/env bash
# Gives the nightly file of each shelter to `pets sync`. Prints only what a person should look at.
#
#     bash infra/commands/nightly.sh FOLDER [ENVIRONMENT]
#
# FOLDER/sources has the settings of each source, such as elm-street.yaml, and FOLDER/uploads its file, elm-street.csv.
# ENVIRONMENT is production by default. The exit code is the worst one of all shelters; it is 3 at least if a file is
# more than three days old, which a shelter that has ceased to upload leaves behind.
set -u

if [ ! -d "${1:-}" ]; then
  echo "Name the folder that has sources/ and uploads/: bash infra/commands/nightly.sh FOLDER [ENVIRONMENT]" >&2
  exit 2
fi
folder=$(cd "$1" && pwd) || exit 1
environment=${2:-production}
# npm finds the commands in the checkout alone, and with --silent says nothing elsewhere. This script may be a link to it.
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

shopt -s nullglob
# The command refuses the ending .yml, which would otherwise be left out unnoticed.
sources=("$folder"/sources/*.yaml "$folder"/sources/*.yml)
if [ "${#sources[@]}" -eq 0 ]; then
  echo "$folder/sources has no settings, such as elm-street.yaml." >&2
  exit 2
fi

worst=0
raise() {
  if [ "$1" -gt "$worst" ]; then worst=$1; fi
}
for settings in "${sources[@]}"; do
  code=0
  name=$(basename "$settings" .yaml)
  file=$folder/uploads/$name.csv
  npm run --silent pets -- sync "$file" --source "$settings" --quiet \
    --env "$environment" --confirm "$environment" || code=$?
  raise "$code"
  if [ -n "$(find "$file" -mtime +2 2>/dev/null)" ]; then
    echo "$name: $file is more than three days old."
    raise 3
  fi
done
exit "$worst"
