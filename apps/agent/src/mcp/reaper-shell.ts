/**
 * Shell script that holds a list of process groups for the reaper, in about 2 MB of memory. It reads
 * `+GROUP` and `-GROUP` lines. When its input ends, it passes the remaining groups to the program
 * that its arguments name, and kills them itself if the program fails.
 */
export const REAPER_SHELL = `
groups=
while read -r line; do
  case $line in
    +*) groups="$groups \${line#+}" ;;
    -*)
      kept=
      for group in $groups; do [ "$group" = "\${line#-}" ] || kept="$kept $group"; done
      groups=$kept ;;
  esac
done
for group in $groups; do echo "+$group"; done | "$0" "$@" ||
  for group in $groups; do kill -s KILL -- "-$group"; done
`;
