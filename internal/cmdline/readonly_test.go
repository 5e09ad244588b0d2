package cmdline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/base/fsutil"
)

// readOnlyPlace returns a folder with files, a subfolder, and links that lead out of it.
func readOnlyPlace(t *testing.T) CommandContext {
	t.Helper()
	outside := t.TempDir()
	WriteTestFile(t, outside, "secret", "s")
	root := t.TempDir()
	for _, name := range []string{"a.go", "b.go", "sub/c.go", "sub/deep/d.go", "odd/HEAD", "odd/objects/x", "odd/below/y"} {
		WriteTestFile(t, root, name, "x")
	}
	for name, target := range map[string]string{
		"out": outside, "sub/leak": filepath.Join(outside, "secret"), "loop": "sub/deep", "here": ".",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	return CommandContext{Dir: root, Inside: func(path string) bool {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			real = path
		}
		return fsutil.Within(real, root)
	}}
}

func TestReadOnlyCommandsPass(t *testing.T) {
	t.Parallel()
	at := readOnlyPlace(t)
	for _, line := range []string{
		"ls", "ls -la sub", "ls sub/*.txt", "pwd", "true", "echo done -n > /dev/null",
		"cat a.go b.go", "cat -n a.go | head -20", "head -n 5 a.go", "tail -n +3 a.go", "tail -5 a.go", "wc -l a.go b.go",
		"grep -rn 'func main' .", "grep -n -A3 -e foo a.go", "grep --include='*.go' -r x sub", "rg -n foo sub", "rg --files -g '*.go'", "git grep -n foo",
		"find . -name '*.go' -not -path './sub/*' -type f", "find sub -maxdepth 1 | sort | uniq -c | sort -rn",
		"git status", "git status --short", "git --no-pager log --oneline -5", "git diff HEAD~3 -- a.go", "git diff --stat main..dev",
		"git show HEAD:a.go", "git log --format='%h %s' -n 3", "git branch -a", "git rev-parse --show-toplevel", "git blame -L1,5 a.go",
		"git log --topo-order --left-right main...dev", "git diff --compact-summary", "git show stash@{0}", "git diff @{u}", "git branch --contains HEAD", "git branch --merged main", "git branch --list 'feature/*'", "git tag -l 'v*'", "git tag --sort=-creatordate",
		"git remote get-url origin", "git stash list", "git worktree list", "git --version", "git config --get user.name", "git config user.email", "git shortlog -sn HEAD", "git merge-base main HEAD", "git for-each-ref --format='%(refname)'", "git symbolic-ref --short HEAD", "git check-ignore -v a.go", "git show-ref",
		"sed 's/a/b/g' a.go", "sed -n '/^func main/,/^}/p' a.go", "sed -n '1,20p;30,40p' a.go", "sed -E 's/(a)\\.go/\\1/' a.go | head", "sed '/^$/d' a.go", "sed -n '$=' a.go", "awk '{print $1}' a.go", "awk -F: '{print $1, $NF}' a.go", "awk 'NR>=10 && NR<=20' a.go", "awk 'NR==5' a.go", "jq . a.go", "jq -r '.scripts.build' a.go", "jq '.a[] | keys' a.go", "cat a.go | jq '.x[0]'",
		"diff a.go b.go", "diff -u a.go b.go", "cat a.go | diff - b.go", "comm -12 a.go b.go", "paste -d, a.go b.go", "cat a.go | column -t", "fold -w 80 a.go", "rev a.go", "base64 a.go", "hexdump -C a.go | head", "xxd a.go | head -5", "sha1sum a.go", "seq 1 5", "sleep 1",
		"test -f a.go && echo yes || echo no", "[ -d sub ] && ls sub", "[ x = y ]", "command -v go", "printf '%s\\n' a b", "printf '%s\\n' 'a=b[0]' '$(x)' --", "printf '%-20s %d\\n' a 5 b 7", "printf '\\033[1m%s\\033[0m\\n' 'a=b'", "printf '%5.2f%%\\n' 3.14", "printf '%x\\n' 255 0xff", "printf '100%%\\n'", "printf 'a=b\\x41\\n'", "date", "date -u", "id -u", "find . -mtime -1", "grep -rn --include '*.go' x .", "rg x --glob '!vendor'", "go help build",
		"go version", "go env GOPATH", "date +%F", "uname -a", "which go node", "sed -n '1,20p' a.go", "sed -n '3,$p' a.go",
		"cat /dev/null", "cat a.go | cat -", "cd sub && ls deep", "cd sub; cat ./c.go || ls deep", "echo sub/deep/*", "cat loop/d.go", "du -sh sub", "stat -c %s a.go", "grep -n -- x a.go", "tree -L 2 sub", "tail -c5k a.go",
	} {
		parsed, err := Read(line).PlainCommands()
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if proven := len(parsed.UnprovenCommands(at)) == 0; proven == (pathsHaveDrives && !parsed.isRelative()) {
			t.Errorf("%q is read-only: %v", line, proven)
		}
	}
}

// Each of these lines looks harmless. It changes something, runs a program, shows files outside, or
// never ends.
func TestReadOnlyIsNotFooled(t *testing.T) {
	t.Parallel()
	at := readOnlyPlace(t)
	for _, line := range []string{
		// Programs that do more than read, and other spellings of them.
		"rm x", "'r'm x", `\rm x`, "ls; rm x", "ls && rm x", "ls || rm x", "ls | sh", "ls\nrm x", "env X=1 rm x", "env ls", "xargs rm", "ls | xargs rm",
		"sudo ls", "command ls", "exec ls", "eval ls", "source a.go", ". a.go", "builtin cd /", "nohup ls", "timeout 5 ls", "time -p ls", "watch ls",
		"./ls", "/bin/ls", "sub/ls", "LS", "ｌｓ", "lѕ", "sh -c ls", "bash a.go", "python -c 1", "awk 1 a.go", "tee f", "less a.go", "vi a.go", "printf -v PATH x", "printf %n PATH",
		"alias ls=rm", "unalias ls", "trap x EXIT", "set -e", "hash -p /x ls", "read x", "env", "printenv", "printf '%5ln' PATH; ls", "printf -- -v PATH",
		"printf %d PATH=5; ls", "printf '%s %d' a PATH=5; ls", "printf '%*s' PATH=5 a; ls", "printf '%.*s' PATH=5 a; ls", "printf '\\x25d' PATH=5; ls", "printf '\\045d' PATH=5; ls", "printf '%\\x64' PATH=5; ls", "printf '%2$s' PATH=5 a; ls",
		"printf '%x' 'a[$(id)]'", "printf %d PATH++; ls", "printf %d -- --PATH", "printf -- %d PATH=5", "printf '%(%F)T' 'a[`id`]'", "printf %d P*",
		// A shell may evaluate operands of test. A program behind command may not be the expected
		// one.
		"test -v 'x[1]'", "test a -nt b", "[ -v x ]", "[ -f /etc/passwd ]", "test -f out/secret", "command -p ls", "command -v -p ls", "command rm x",
		"awk '{print > \"f\"}' a.go", "awk '{print | \"sh\"}' a.go", "awk 'BEGIN{system(\"id\")}'", "awk -F '{print $1}' 'BEGIN{system(\"id\")}'", "awk -F '{print $1}' a.go", "awk -f a.go '{print $1}'", "awk -v x=1 '{print $1}'", "awk '{print $1}' /etc/passwd", "awk '{print $1}' sub/leak", "awk '{getline < \"x\"}'",
		"jq -n env", "jq 'input_filename' a.go", "jq -f a.go .", "jq . /etc/passwd", "jq --rawfile x a.go . b.go", "jq --slurpfile x a.go . b.go", "jq 'import \"a\" as a; .'", "jq . out/secret",
		"sed 's/a/b/w f' a.go", "sed 's/a/id/e' a.go", "sed 's/a/b/;w f' a.go", "sed 's/a/b/\nw f' a.go", "sed '/a/w f' a.go", "sed '/[/]/w f/p' a.go", "sed 's,a,b,w f' a.go", "sed 's/a\\/b/w f/' a.go", "sed '1r sub/leak' a.go", "sed '1,2{w f}' a.go", "sed 'y/a/b/;e id' a.go", "sed p /etc/passwd", "sed a.go 's/a/b/' -i",
		// A program that reads a whole folder also reads the targets of links in it.
		"diff sub .", "diff a.go sub", "diff -r . sub", "diff a.go out", "diff a.go /etc/passwd", "diff -l a.go b.go", "diff --to-file=/etc/passwd a.go", "diff a* b.go", "diff --recursive sub sub", "diff a.go missing",
		"xxd a.go -b", "uniq a.go -c", "uniq - -c", "base64 a.go -d", "xxd a.go f", "xxd -r a.go f", "xxd ?.go", "unzip a.zip", "unzip -l a.zip", "unzip -l '*'", "unzip -l a.zip x", "unzip -lo a.zip", "base64 a.go b.go", "base64 --decode=x", "comm a.go /etc/passwd", "seq 1 1000000", "seq 1 0 5 7", "sleep 1000", "sleep infinity", "hexdump -f a.go b.go", "column -o x a.go",
		"git branch --list -D x", "git branch --contains -m a b", "git branch --delete x", "git branch a --list", "git tag -l -d x", "git tag x -l", "git stash list -p", "git stash -p list", "git stash show", "git stash drop", "git worktree list x", "git worktree add x", "git remote get-url --all origin x",
		"git config user.name x", "git config --unset user.name", "git config --get http.extraheader", "git config remote.origin.url", "git config --get-regexp .", "git config edit", "git symbolic-ref HEAD x", "git symbolic-ref -d HEAD", "git 'branch --list'", "git 'stash list'", "git for-each-ref --shell x", "git shortlog --output=f", "git name-rev --stdin", "git check-ignore --stdin",
		"echo {a,b}", "echo {1..3}", "echo {a\"x\",b}", "ls {", "echo [a]", "date ''",
		// Options that write, run a program, or wait.
		"find . -exec rm {} +", "find . -execdir rm {} +", "find . -ok rm {} +", "find . -delete", "find . -fprint f", "find . -fprintf f x", "find . -fls f",
		"find -L .", "find . -follow", "find . -files0-from f",
		"sort -o f a.go", "sort -of a.go", "sort --output=f a.go", "sort --outp f a.go", "sort -no f a.go", "sort --compress-program=sh a.go", "sort -T sub a.go",
		"uniq a.go b.go", "tail -f a.go", "tail -F a.go", "tail -5f a.go", "tail --follow a.go", "tail --retry a.go", "tree -o f", "tree -l",
		"rg --pre sh x", "rg --pre=sh x", "rg -z x", "rg -L x", "rg --follow x", "rg --hostname-bin=x y", "rg -f a.go", "grep -R x .", "grep -f /etc/passwd a.go", "grep -f/etc/passwd a.go", "grep --file=/etc/passwd a.go",
		"sed -i s/a/b/ a.go", "sed -n 'w f' a.go", "sed '1e rm x' a.go", "sed -n -e 1p -e 'w f' a.go", "sed -n 1p -i a.go", "sed s/a/b/e a.go",
		"date -s 2020-01-01", "date 11210000", "hostname evil", "file -C -m x", "wc --files0-from=f", "du --files0-from=f", "cut --output-delimiter=x a.go",
		"go version -m x", "go env -w GOFLAGS=-x", "go env -u X", "go test", "go list ./...", "go vet", "go run .", "go",
		"git -c core.pager=sh log", "git -c alias.status='!rm x' status", "git -C / status", "git --git-dir=sub status", "git --exec-path=. status", "git -p log", "git",
		"git diff --output=f", "git diff --outpu=f", "git log --output f", "git diff --ext-diff", "git diff --textconv", "git diff --no-index a.go b.go", "git diff -Of", "git show --ext-diff",
		"git grep -Orm x", "git grep --open-files-in-pager=rm x", "git branch -D x", "git branch x", "git tag x", "git remote add a b", "git reflog expire --all", "git stash", "git checkout .", "git clean -fd",
		"git config --list", "git log --show-signature", "git cat-file --textconv HEAD:a", "git submodule foreach ls", "git blame --contents f a.go",
		// Options after a "--" that is itself the value of an option.
		"find . -maxdepth 0 -not -name -- -exec sh -c 'id > x' ';'", "find . -name -- -delete", "find . -name -- -fprint x", "find . -path -- -fls x",
		"git grep -e -- '-Oid > x; :'", "rg -e -- --pre=sh . a.go", "git diff -S -- --output=a.go b.go sub", "tree -P -- -o a.go", "tree -I -- -o a.go", "sort -k -- -o a.go b.go",
		"cat -- -odd", "uniq -f -- a.go b.go", "sed -n -- 1p -i a.go", "sort -t -- --output=x a.go", "head -n -- -x a.go", "git log -n -- --output=x",
		// Patterns that expand to more words than are visible, and words that older programs read
		// as options.
		"uniq ?.go", "uniq [ab].go", "uniq a*", "uniq -f a*", "cmp b*", "tr a* x", "date +a*", "git cat-file -p a*", "tail +1f a.go", "tail +f a.go", "tail +5cf a.go",
		// Letters after an option letter whose value is the next word.
		"tree -Po x a.go", "tree -Lo 1 a.go", "tail -cf a.go", "tail -nf a.go", "tail -c5f a.go",
		// Programs that run other programs to get information.
		"go env", "go env CC", "go env GOGCCFLAGS", "go env GOPATH CC", "git describe --dirty",
		// Paths outside.
		"cat /etc/passwd", "cat ../secret", "cat out/secret", "cat sub/leak", "ls out", "ls /", "ls ..", "find /", "find out", "grep -r x /", "grep x out/secret", "rg x ..", "git diff /etc/passwd a.go",
		"cat here/../secret", "cat sub/../../secret", "cat sub/l*", "cat s*/l*", "cat out/s*", "cat o*/secret", "cat /etc/pass*", "ls /*", "head -c 10 /dev/zero", "cat /proc/self/environ",
		"cd / && ls", "cd .. && cat secret", "cd", "cd -", "cd out && cat secret", "cd loop && cat ../../../secret", "cd here && ls", "cd sub && cat ../../secret", "cd sub; cd ../.. && ls", "cd -P sub", "cd sub sub",
		"echo /etc/*", "echo out/*", "true ../*", "cd h* && cat ../secret", "cd missing && ls", "mkdir new && cd new && ls",
		"cd sub || cd deep; cat ../../secret",
		"git show HEAD:../secret", "git show :0:/etc/passwd", "git cat-file -p HEAD:sub/leak",
		// A folder that git would use as a repository with its own configuration.
		"cd odd && git status", "cd odd/below && git log",
	} {
		parsed, err := Read(line).PlainCommands()
		if err != nil {
			continue
		}
		if len(parsed.UnprovenCommands(at)) == 0 {
			t.Errorf("%q would run without asking", line)
		}
	}
}

// Every bypass above reaches the table, except the few that the parser refuses.
func TestReadOnlyListsNothingThatRunsOthers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"env", "xargs", "sh", "bash", "sudo", "tee", "eval", "exec", "command", "source", "unzip", "perl", "python", "node", "make", "ssh", "curl"} {
		if _, listed := readOnlyPrograms()[name]; listed {
			t.Errorf("%s is listed as read-only", name)
		}
	}
}

// Programs and repositories of the workspace are not trusted by name.
func TestReadOnlyAsksAboutThePlace(t *testing.T) {
	t.Parallel()
	at := readOnlyPlace(t)
	at.Program = func(name string) bool { return name != "ls" }
	at.Repository = func(dir string) bool { return filepath.Base(dir) != "sub" }
	for line, readOnly := range map[string]bool{
		"ls": false, "cat a.go": true, "echo x": true, "git status": true, "cd sub && git status": false, "cat a.go | ls": false,
	} {
		parsed, err := Read(line).PlainCommands()
		if err != nil {
			t.Fatal(err)
		}
		if got := len(parsed.UnprovenCommands(at)) == 0; got != readOnly {
			t.Errorf("%q is read-only: %v", line, got)
		}
	}
}

// A line with many git commands checks each folder once, because the check runs git.
func TestReadOnlyAsksOnceAFolder(t *testing.T) {
	t.Parallel()
	at := readOnlyPlace(t)
	asked := 0
	at.Repository = func(string) bool { asked++; return true }
	parsed, err := Read(strings.Repeat("git status; ", 50) + "cd sub; git status; git log").PlainCommands()
	if err != nil {
		t.Fatal(err)
	}
	if parsed.UnprovenCommands(at); asked != 2 {
		t.Errorf("asked %d times about two folders", asked)
	}
}

// Without a sandbox, a search of whole folders would read secret files.
func TestReadOnlyAsksAboutSearches_D60(t *testing.T) {
	t.Parallel()
	at := readOnlyPlace(t)
	at.Searchable = func(string) bool { return false }
	for line, readOnly := range map[string]bool{
		"grep -r x .": false, "grep -nr x": false, "grep --recursive x .": false, "grep --rec x .": false, "egrep -rn x sub": false, "rg x": false, "rg -n x sub": false, "cat a.go | rg x": false,
		"grep x a.go": true, "grep -n -e x a.go": true, "ls": true, "find . -name x": true, "cat a.go | grep x": true, "git grep x": true,
	} {
		parsed, err := Read(line).PlainCommands()
		if err != nil {
			t.Fatal(err)
		}
		if got := len(parsed.UnprovenCommands(at)) == 0; got != readOnly {
			t.Errorf("%q is read-only: %v", line, got)
		}
	}
}

// Outside the sandbox, which hides secret files, no command that reads a file runs without
// approval.
func TestReadOnlyOutside_B2(t *testing.T) {
	t.Parallel()
	at := readOnlyPlace(t)
	at.OutsideSandbox = true
	free := func(line string) bool {
		parsed, err := Read(line).PlainCommands()
		return err == nil && len(parsed.UnprovenCommands(at)) == 0
	}
	for _, line := range []string{
		"echo x", "true", "printf '%s' x", "date", "tail -n 20", "tail -20", "head -c 100", "head -n +3", "sort -u", "sort | uniq -c | sort -rn | head -5", "wc -l", "cd sub; echo x",
	} {
		if !free(line) {
			t.Errorf("%q is asked about, but it reads nothing", line)
		}
	}
	for _, line := range []string{
		"ls", "cat a.go", "rg -uuu x .", "rg x", "grep -r x .", "grep x a.go", "head a.go", "head -n a.go", "head -n 5 a.go", "head -n 5 -- a.go", "tail -n 5 5", "wc -l a.go", "wc -n 5", "sort a.go", "sort -n 5", "uniq -c 5", "find .", "git status",
		"git diff", "git show HEAD:a.go", "git grep x", "sed -n 1p a.go", "awk '{print $1}' a.go", "jq . a.go", "diff a.go b.go", "stat a.go", "echo x; cat a.go", "cd sub && cat c.go", "head -- a.go", "xxd a.go", "nl a.go", "test -f a.go",
	} {
		if free(line) {
			t.Errorf("%q would run without a rule", line)
		}
	}
	for name, program := range readOnlyPrograms() {
		if line := name + " a.go"; !program.anyWords && !program.namesOnly && free(line) {
			t.Errorf("%q would run without a rule", line)
		}
	}
}

// Checking any line takes little time.
func TestReadOnlyIsBounded(t *testing.T) {
	t.Parallel()
	at := readOnlyPlace(t)
	inside, lookedUp := at.Inside, 0
	at.Inside = func(path string) bool { lookedUp++; return inside(path) }
	for i := range 60 {
		WriteTestFile(t, at.Dir, fmt.Sprintf("many/%d/%d/x", i%10, i), "")
	}
	for _, line := range []string{
		"cat " + strings.Repeat("a.go ", 5000), "cat " + strings.Repeat("a.go ", maxWords), strings.Repeat("true;", 6000), "ls /*/*/*/*/*/*", "ls " + strings.Repeat("many/*/*/* ", 200),
		"ls m" + strings.Repeat("*a", 2000), "ls " + strings.Repeat("x", maxLine), strings.Repeat("a|", 20_000) + "b",
	} {
		began := time.Now()
		lookedUp = 0
		if parsed, err := Read(line).PlainCommands(); err == nil && len(parsed.UnprovenCommands(at)) == 0 && !strings.HasPrefix(line, "ls m*a") {
			t.Errorf("%.40q… counts as read-only", line)
		}
		// The limit allows for a busy machine.
		if took := time.Since(began); took > 30*time.Second || lookedUp > maxLookups+2*maxWords {
			t.Errorf("%.40q… took %v and looked up %d paths", line, took, lookedUp)
		}
	}
}

// A pattern can match by bytes or by characters, so both count.
func TestPatternsMatchByBytesToo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"f?", "fé", true},
		{"f??", "fé", true},
		{"f???", "fé", false},
		{"f*", "f", true},
		{"f*", "fé", true},
		{"*x*y", "axby", true},
		{"*x*y", "axb", false},
		{"*a", ".a", false},
		{"?a", ".a", false},
		{".a*", ".ab", true},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"\xff?", "\xffx", true},
		{"f?", "f\xff", true},
	} {
		if got := canMatch(c.pattern, c.name); got != c.want {
			t.Errorf("canMatch(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
	at := readOnlyPlace(t)
	if err := os.Symlink("/etc/hostname", filepath.Join(at.Dir, "fé")); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"cat f?", "cat f??", "cat f*"} {
		if parsed, err := Read(line).PlainCommands(); err != nil || len(parsed.UnprovenCommands(at)) == 0 {
			t.Errorf("%q would show what is outside (%v)", line, err)
		}
	}
}

func TestClimbingBack(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{"a/..": true, "a/b/../c": true, "../a/..": true, "../..": false, "./..": false, "//..": false, "a/b": false} {
		if got := climbsBack(path); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}
