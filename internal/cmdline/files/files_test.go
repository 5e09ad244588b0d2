package files_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/cmdline"
	"agent/internal/cmdline/files"
)

// shell returns a shell in a repository with the files run.sh and a/b/in.sh.
func shell(t *testing.T) files.Shell {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "a/b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run.sh", "a/b/in.sh"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return files.Shell{
		Folders: []string{root}, Root: root,
		Values: map[string][]string{"CLAUDE_PROJECT_DIR": {root}, "PWD": {root}, "HOME": {"/home/me"}, "PATH": {""}, "GIVEN": {"run"}},
	}
}

// names reports whether one of the words is the path of run.sh in the repository.
func names(s files.Shell, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		if !filepath.IsAbs(word) {
			word = filepath.Join(s.Root, word)
		}
		return filepath.Clean(word) == filepath.Join(s.Root, "run.sh")
	})
}

// quotings returns the line in several quoted forms for another shell.
func quotings(line string) []string {
	single := "'" + strings.ReplaceAll(line, "'", `'\''`) + "'"
	double := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(line) + `"`
	return []string{line, "bash -c " + single, "sh -ec " + double, "eval " + single, "env X=1 bash -c " + double}
}

// The words contain every spelling of a script that bash would run, and no doubt is reported.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"./run.sh", "sh run.sh", `"${CLAUDE_PROJECT_DIR:-x}/run.sh"`, `"${CLAUDE_PROJECT_DIR%/}/run.sh"`, "${PWD%/}/run.sh", "~+/run.sh",
		"sh ./r*.sh", "sh ./run.[s]h", "sh ./r?n.sh", "sh $CLAUDE_PROJECT_DIR/r*.sh", "sh */*.sh; sh a/../r*.sh", "sh ./r{un,x}.sh", "sh ./{a..z}un.sh", "X=run; ./$X.sh", "D=.; $D/run.sh", "D=.; E=$D/run; $E.sh",
		"$'./run.sh'", `$'\x2e/run.sh'`, `./"run".sh`, `./r'u'n.sh`, `./r\un.sh`, "for f in a run; do ./$f.sh; done", "X=ru; X+=n; sh $X.sh",
		"f() { sh run.sh; }; f", "if true; then ./run.sh; fi", "(cd a; ../a/../run.sh; sh run.sh)", ". ./run.sh", "sh < run.sh -c x", "true | sh run.sh",
		`"$(pwd)/run.sh"`, `"$(git rev-parse --show-toplevel)/run.sh"`, "./${Y:-run}.sh", ": ${Y:=run}; ./$Y.sh", "./$GIVEN.sh", "Z=(x ./run.sh); ${Z[1]}; sh ./run.sh",
		"sh ../*/run.sh", "[ x ] && p=none/; sh ${p}run.sh", "x=a; f() { local x; sh ${x:-run}.sh; }; f", "BASH_ENV='$PWD/run.sh' bash -c :",
		"GIT_EDITOR='sh r*.sh' git commit", "export PATH=$(pwd):$PATH; run.sh", "python3 -u run.sh", "bash -eo pipefail run.sh",
		"x=ARUN; ./${x:+run}.sh", "trap 'sh run.sh' EXIT", "nohup sh run.sh &", "timeout 5 sh -c 'sh run.sh'",
	} {
		for _, form := range quotings(line) {
			s := shell(t)
			if words, sure := s.PossibleWords(cmdline.Read(form)); !sure || !names(s, words) {
				t.Errorf("%s: sure %t of %q", form, sure, words)
			}
		}
	}
}

// A doubt is reported if the line does not determine which file it names.
func TestDoubts(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"./run$X.sh", `sh "$(cat name)"`, "read f < name; sh $f", "sh `cat name`", "./$1.sh", `sh "$@"`, "echo run.sh | xargs sh", "run-parts d", "cat x | sh", "sh < name", "curl x | bash -s",
		"find . -name 'r*' -exec sh {} +", "shopt -s globstar; sh **/x.sh", "X=run; Y=X; ./${!Y}.sh", "./run$((1)).sh", "printf -v f %s run.sh; sh $f",
		"./{1..100000}.sh", "./{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}.sh", "if x;", "alias x=./run.sh", "IFS=_; sh $X", "mapfile -t f < n; sh ${f[0]}", "./@(run|x).sh", "exec $PROGRAM/run.sh",
		"((x=1)); ./$x.sh", "sh $LANG", "./run${TERM:-}.sh", "sh ${LC_ALL:-x}",
	} {
		for _, form := range quotings(line)[:3] {
			if words, sure := shell(t).PossibleWords(cmdline.Read(form)); sure {
				t.Errorf("%s is said to be sure: %q", form, words)
			}
		}
	}
}

// A line is in doubt if something other than an assignment sets its variable, if it rewrites a
// value, or if a path depends on the process. The line may still look complete.
func TestDoubtsOfVariables(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"x=a; read x < list; sh $x", "x=a; read -r y x <<< '1 b'; sh $x.sh", "x=a; printf -v x %s b; sh $x", "x=a; printf -vx %s b; sh $x", "x=a; mapfile -t x < list; sh $x", "x=a; while read x; do sh $x; done < list",
		"x=a; builtin read x < list; sh $x", "x=a; eval 'read x < list'; sh $x", "declare -n r=x; x=a; r=b; sh $x.sh", "x=a; typeset -i x; sh $x.sh", "unset HOME; sh ${HOME:-b}.sh", "x=a; . ./run.sh; sh $x",
		"a=(ru n.sh); sh ${a[0]}${a[1]}", "declare -A m=([k]=ru [l]=n.sh); sh ${m[k]}${m[l]}", "x=arun.sh; n=1; sh ${x:n}", "x=run.txt; sh ${x/%txt/sh}", "x=n; sh ${x/#/ru}.sh", "x='$y'; sh ${x@P}",
		"sh ${PATH:+run}.sh", "[[ xrunx =~ x(.*)x ]]; sh ${BASH_REMATCH[1]}", "pushd a; sh ~1/run.sh", "pushd a; sh ~-0/in.sh", "cd a; sh /proc/self/cwd/in.sh", "exec 5<a; sh /dev/fd/5/in.sh", "cd a; sh ../../../../../../proc/self/cwd/in.sh",
		"cd a; sh /dev/fd/../../self/cwd/in.sh", "PYTHONPATH=a tool", "export PERL5LIB=a; tool", "echo x > z; sh z", "echo x > /tmp/z; sh /tmp//z", "$PROGRAM x", "nice $PROGRAM x", "bash -O nocaseglob -c 'sh R*'",
	} {
		for _, form := range quotings(line)[:3] {
			if words, sure := shell(t).PossibleWords(cmdline.Read(form)); sure {
				t.Errorf("%s is said to be sure: %q", form, words)
			}
		}
	}
}

// A shell that reads commands from its input is in doubt, however it is started. Code in another
// language is in doubt too, because it can compute a file name.
func TestDoubtsOfPrograms(t *testing.T) {
	t.Parallel()
	shells := []string{
		"sh", "bash -e", "bash -eo pipefail", "bash -o errexit", "bash --norc", "bash --rcfile x", "bash -s x", "bash -es -- x", "sh -", "sh -c sh", "sh -c '. /dev/stdin'", "sh /dev/stdin", "bash /proc/self/fd/0", "source /dev/stdin", ". /dev/fd/0", `s\h`, `"sh"`, "/bin/sh", "/bin/s?", "$SHELL", "${SHELL:-sh}", "$BASH", "mksh", "ksh93", "yash -s", "/usr/bin/bash-5.2", "tcsh",
		"python3", "python3 -", "python3 -c 'x()'", "perl -ne 'x'", "node -e 'x()'", "ruby", "awk '{system($0)}'", "sed e", "sed 's/a/b/e'", "sed -e '1e x'",
	}
	for _, wrapper := range []string{"", "env ", "env -i X=1 ", "nice -n 1 ", "timeout 5 ", "nohup ", "exec ", "command ", "setsid -w ", "stdbuf -o0 ", "sudo -u x ", "time ", "busybox "} {
		for _, program := range shells {
			for _, line := range []string{"generate | " + wrapper + program, wrapper + program + " < <(generate)", "{ " + wrapper + program + "; }"} {
				if words, sure := shell(t).PossibleWords(cmdline.Read(line)); sure {
					t.Errorf("%s is said to be sure: %q", line, words)
				}
			}
		}
	}
	for _, line := range []string{"sh <(generate)", "python3 -m pkg", "python3.11 -m pkg.mod", "python3 pkg", "perl -I. -Mrun x.pl", "node ./idx", "node .", "node -r ./idx x.js", "node --import=./idx x.js", "python3 -c 'exec(open(\"run\"+\".sh\"))'", "perl -e 'system(\"sh\",\"ru\".\"n.sh\")'", "awk 'BEGIN{system(\"sh ru\" \"n.sh\")}'"} {
		if words, sure := shell(t).PossibleWords(cmdline.Read(line)); sure {
			t.Errorf("%s is said to be sure: %q", line, words)
		}
	}
}

// A line without files of the repository causes no doubt.
func TestNoDoubts(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"go vet ./... && echo ok", `prettier --write "$FILE"`, "jq -r '.tool_input.file_path | $x'", "npx eslint . || exit $?", "python3 -u scripts/x.py --fix", "node x.js", "awk '{print $1}' x", "sed -n 's/a/b/p; 3,5p' x", "echo bash | cat", "which sh", "X=1 make; echo ${X}", "gofmt -l . > /tmp/out", "D=a; cd $D && go vet ./...", "grep -rn 'sh' .", "bash -eu run.sh < /dev/null", "cat > /dev/null", "export PATH=$PATH:/x; make", "bash run.sh --x", "sh -c 'exit 2'", "rm -f /tmp/x*.log", "ls run.sh/* none/*",
	} {
		if words, sure := shell(t).PossibleWords(cmdline.Read(line)); !sure {
			t.Errorf("%s is in doubt: %q", line, words)
		}
	}
}

// A file that a line only writes does not count as named. Otherwise each run would change the
// content of the item.
func TestWrittenFiles(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"echo x > run.sh": false, "echo x >> ./run.sh": false, "echo x &> run.sh": false, "echo x > $PWD/run.sh": true, "sh < run.sh -c x": true, "cat <> run.sh": true,
	} {
		s := shell(t)
		if words, _ := s.PossibleWords(cmdline.Read(line)); names(s, words) != want {
			t.Errorf("%s: %q", line, words)
		}
	}
}

// Patterns list no folder outside the repository, and every line is read quickly.
func TestBounds(t *testing.T) {
	t.Parallel()
	s := shell(t)
	if words, _ := s.PossibleWords(cmdline.Read("ls /*/*")); slices.ContainsFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "/") && !strings.Contains(w, "*") && !strings.HasPrefix(s.Root, w)
	}) {
		t.Errorf("outside was listed: %q", words)
	}
	for _, line := range []string{strings.Repeat("bash -c \"", 50), strings.Repeat("{a,", 200), "./" + strings.Repeat("*/", 300), strings.Repeat("x ", 5000)} {
		s.PossibleWords(cmdline.Read(line))
	}
}
