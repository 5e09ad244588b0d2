package cmdline_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"agent/internal/cmdline"
	"agent/internal/git/gitcmd"
	"agent/internal/sandbox"
	"agent/internal/shell"
)

// linesVariable names a file with command lines. If it is set, the test binary only runs these
// lines, in the way in which the program runs commands without approval. confinedVariable adds the
// sandbox.
const (
	linesVariable    = "CMDLINE_TEST_LINES"
	confinedVariable = "CMDLINE_TEST_CONFINED"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(linesVariable); file != "" {
		if err := runLines(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func runLines(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var lines []string
	if err := json.Unmarshal(content, &lines); err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	var confined sandbox.Confinement
	if os.Getenv(confinedVariable) != "" {
		confined = sandbox.Confinement{Sandbox: sandbox.Detect(), Policy: sandbox.Policy{Workspace: root, Temp: filepath.Dir(file)}}
	}
	jobs := shell.NewJobs(os.Environ(), nil)
	defer jobs.Close()
	for _, line := range lines {
		_, err := jobs.Run(context.Background(), shell.Command{
			Line: line, Dir: root, Timeout: time.Minute, OutputBytes: 1000, ReadOnly: true, Distrusted: []string{root},
			Confined: confined, Profile: sandbox.ProfileReadOnly,
		}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// number returns the value of an environment variable, or the default if it is not set.
func number(t *testing.T, variable string, standard int) int {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		return standard
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestReadOnlyOnlyReads makes commands from random options, words and attacks. It runs each command
// that counts as read-only, and traces its system calls. A command must not write, use the network
// or open a file outside. It may start only programs of the table.
//
// Each command runs with and without the sandbox, in bash and in every other installed shell. "make
// fuzz-look" runs many commands. LOOK_SEED sets the seed and LOOK_COMMANDS the number.
func TestReadOnlyOnlyReads(t *testing.T) {
	t.Parallel()
	strace := needStrace(t)
	if testing.Short() {
		t.Skip("runs many commands")
	}
	seed, wanted := number(t, "LOOK_SEED", 1), number(t, "LOOK_COMMANDS", 25)
	place := newHostilePlace(t)
	lines := place.readOnlyLines(rand.New(rand.NewPCG(uint64(seed), 0)), wanted)
	const batch = 250 // small, so that the system does not reuse a process ID
	for some := range slices.Chunk(lines, batch) {
		for _, confined := range []bool{false, true} {
			for _, offence := range place.watch(t, strace, "", some, confined) {
				t.Errorf("%s (in the sandbox: %v)", offence, confined)
			}
		}
		for _, shell := range shShells {
			lines := some
			if shell == "busybox" { // the folder with busybox does not count as searchable
				lines = slices.DeleteFunc(slices.Clone(some), func(line string) bool { return strings.Contains(line, "grep ") })
			}
			for _, offence := range place.watch(t, strace, shell, lines, false) {
				t.Errorf("%s (by %s)", offence, shell)
			}
		}
	}
	t.Logf("seed %d: %d commands", seed, len(lines))
}

// shShells lists the shells that a system without bash may have as /bin/sh.
var shShells = []string{"dash", "zsh", "ksh93", "mksh", "yash", "posh", "busybox"}

// asBash returns a folder with a program bash that runs lines like a shell that is the sh of its
// system. It returns an empty string if the shell is not installed. For busybox, the folder has its
// other programs too.
func asBash(t *testing.T, shell string) string {
	t.Helper()
	program, err := exec.LookPath(shell)
	if err != nil {
		return ""
	}
	dir := t.TempDir()
	cmdline.WriteTestFile(t, dir, "bash", "#!/bin/sh\nexec "+dir+"/sh \"$@\"\n")
	if err := os.Chmod(dir+"/bash", 0o755); err != nil {
		t.Fatal(err)
	}
	links := []string{"sh"}
	if shell == "busybox" {
		list, err := exec.Command(program, "--list").Output()
		if err != nil {
			t.Fatal(err)
		}
		links = strings.Fields(string(list))
	}
	for _, name := range links {
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil && name != "bash" {
			t.Fatal(err)
		}
	}
	return dir
}

func needStrace(t *testing.T) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	if out, err := exec.Command(strace, "-f", "--seccomp-bpf", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		t.Skipf("strace does not work here: %s", out)
	}
	return strace
}

// The trace reader of the test above recognizes each kind of offense.
func TestOffencesAreSeen(t *testing.T) {
	t.Parallel()
	strace := needStrace(t)
	place := newHostilePlace(t)
	for line, want := range map[string]string{
		"find . -maxdepth 0 -not -name -- -exec sh -c 'cp a.txt pwned' ';'": "runs a program",
		"tree -P -- -o pwned":                  "writes",
		"git grep -e -- '-Ocp a.txt pwned; :'": "runs a program",
		"cat leak":                             "opens what is outside",
		"cat f??":                              "opens what is outside",
		"echo x > new":                         "writes",
		"touch new":                            "runs a program",
		"echo x > /dev/tcp/127.0.0.1/1":        "uses the network",
		"rm go.mod":                            "writes",
		"bin/x.sh":                             "runs a program",
	} {
		if _, err := exec.LookPath("tree"); err != nil && strings.HasPrefix(line, "tree ") {
			continue // the program is not installed everywhere
		}
		if found := place.watch(t, strace, "", []string{line}, false); !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, ": "+want) }) {
			t.Errorf("%s: found %q, want that it %s", line, found, want)
		}
		_ = os.Remove(place.root + "/pwned")
	}
	for shell, line := range map[string]string{"zsh": "printf %d PATH=5; ls", "ksh93": "printf %d PATH=5; ls", "busybox": "grep -r x sub"} {
		_, err := exec.LookPath(shell)
		if found := place.watch(t, strace, shell, []string{line}, false); err == nil && len(found) == 0 {
			t.Errorf("%s by %s: nothing is seen", line, shell)
		}
		_ = os.Remove(place.root + "/pwned")
	}
	if sandbox.Detect().IsActive() {
		if found := place.watch(t, strace, "", []string{"cat leak"}, true); len(found) == 0 {
			t.Error("in the sandbox nothing is seen")
		}
	}
}

// hostilePlace is a workspace with misleading files, and a folder outside of it.
type hostilePlace struct {
	cmdline.CommandContext
	root, outside string
}

func newHostilePlace(t *testing.T) hostilePlace {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := hostilePlace{root: base + "/work", outside: base + "/outside"}
	for name, content := range map[string]string{
		"outside/secret": "secret", "work/a.txt": "a -- b\ntouch pwned\n", "work/sub/b.txt": "b\n", "work/sub/deep/c.go": "package c\n", "work/notes": "touch pwned # --\n", "work/notes2": "b\na\n",
		"work/go.mod": "module x\n\ngo 1.26\n\ntoolchain go1.99.7\n", "work/.gitattributes": "*.txt filter=x diff=x\n", "work/files0": "/etc/passwd\x00", "work/-exec": "x", "work/--": "x",
		"work/docs/v1/objects/.k": "", "work/docs/v1/refs/.k": "", "work/docs/v1/config": "[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch pwned\"\n",
		"work/bin/ls": "#!/bin/sh\ntouch pwned\n", "work/bin/git": "#!/bin/sh\ntouch pwned\n", "work/bin/x.sh": "touch pwned\n", "work/5/ls": "#!/bin/sh\n: > pwned\n",
	} {
		cmdline.WriteTestFile(t, base, name, content)
	}
	for _, name := range []string{"bin/ls", "bin/git", "bin/x.sh", "5/ls"} {
		if err := os.Chmod(filepath.Join(p.root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"out": p.outside, "leak": p.outside + "/secret", "sub/leak2": "../../outside/secret", "docs/v1/HEAD": "refs/heads/none", "fé": p.outside + "/secret"} {
		if err := os.Symlink(target, filepath.Join(p.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "a.txt", "sub", "notes", ".gitattributes"}, {"commit", "-qm", "one"}} {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		cmd.Dir = p.root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	cmdline.WriteTestFile(t, p.root, "a.txt", "changed\n")
	cmdline.WriteTestFile(t, p.root, ".git/hooks/post-index-change", "#!/bin/sh\ntouch pwned\n")
	if err := os.Chmod(p.root+"/.git/hooks/post-index-change", 0o755); err != nil {
		t.Fatal(err)
	}
	repositories := map[string]bool{}
	p.CommandContext = cmdline.CommandContext{
		Dir: p.root,
		Inside: func(path string) bool {
			real, err := filepath.EvalSymlinks(path)
			if err != nil {
				real = path
			}
			return real == p.root || strings.HasPrefix(real, p.root+"/")
		},
		Repository: func(dir string) bool {
			if _, known := repositories[dir]; !known {
				keys, err := gitcmd.UnsafeKeys(t.Context(), dir)
				repositories[dir] = err == nil && len(keys) == 0
			}
			return repositories[dir]
		},
	}
	return p
}

// readOnlyLines makes random lines until the given number of them counts as read-only.
func (p hostilePlace) readOnlyLines(random *rand.Rand, wanted int) []string {
	names := slices.Sorted(maps.Keys(cmdline.ReadOnlyPrograms()))
	var lines []string
	for len(lines) < wanted {
		line := randomLine(random, names)
		if parsed, err := cmdline.Read(line).PlainCommands(); err == nil && len(parsed.UnprovenCommands(p.CommandContext)) == 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// attacks are words that have made programs do more than read.
var attacks = []string{
	"--", "--", "-", "-exec", "touch pwned", "pwned", "{}", "';'", "+", "-delete", "-fprint", "-fls", "-ok", "-execdir", "--output=pwned", "--output", "-o", "-opwned", "--pre=sh", "--pre", "sh", "-Otouch", "-O", "'-Oid > pwned; :'",
	"--ext-diff", "--textconv", "--filters", "--open-files-in-pager=touch", "-i", "-f", "-F", "--follow", "--files0-from=files0", "--files-from=a.txt", "--compress-program=touch", "-T", "-S", "-w", "-u", "'w pwned'", "'1e touch pwned'", "'1w pwned'",
	"'BEGIN{system(\"touch pwned\")}'", "'{print > \"pwned\"}'", "'s/a/touch pwned/e'", "'s/./b/w pwned'", "-v", "%n", "-n", "--rawfile x leak", "--show-signature", "--format=%G?", "'--format=%(trailers)'", "--contents", "-C", "-c", "-m", "-L", "-R", "-l", "-z", "-r", "-s", "--set", "-a", "-D", "-d",
	"%d", "PATH=5", "PATH=5", "'a[$(touch pwned)]'", "-r", "-rn",
}

// phrases are attacks of several words.
var phrases = []string{
	"-exec touch pwned ';'", "-execdir touch pwned ';'", "-delete", "-fprint pwned", "-fls pwned", "-fprintf pwned x", "--output=pwned", "--output=pwned a.txt notes", "-o pwned", "-o pwned sub", "--pre=sh . notes", "-Otouch", "'-Oid > pwned; :'",
	"-i a.txt", "--ext-diff", "--textconv", "-f leak", "-R", "-o a.txt notes",
}

// powerful are the programs of the table that can do more than read in the most ways.
var powerful = []string{"printf", "test", "grep", "awk", "sed", "jq", "diff", "xxd", "git branch --list", "git stash list", "git config", "find", "rg", "tree", "sort", "sed", "uniq", "tail", "git diff", "git grep", "git log", "git show", "git status"}

// operands are words that are not options: names, paths, patterns, expressions.
var operands = []string{
	"a.txt", "a.txt", "sub", "sub", ".", ".", "notes", "sub/b.txt", "sub/deep", "docs", "docs/v1", "leak", "out", "out/secret", "../outside/secret", "/etc/passwd", "sub/leak2", "'-exec'", "./--", "bin/x.sh", "x", "b", "1p", "1,2p", "'$p'",
	"'{print $1}'", "'NR==1'", "'s/a/b/'", "'/a/,/b/p'", "'.a'", "list", "user.name", "stash@{0}", "-1", "]", "=",
	"a*", "n*", "note?2", "+1f", "s*", "f?", "f*", "sub/*", "l*", "o*/s*", "HEAD", "HEAD~1", "HEAD:a.txt", "main", "master", "1", "2", "5", "+1", "'*.txt'", "'*'", "+%s", "GOPATH", "GOVERSION", "CC", "f", "d", "''", "'a b'", "'touch pwned'", "a", "z",
}

// formats and printed are words for printf, which in some shells evaluates numbers as arithmetic.
var (
	formats = []string{"'%s\\n'", "'%s %d'", "%d", "'%5.2f'", "'%*s'", "'%.*s'", `'\x25d'`, `'\045d'`, `'%\x64'`, `'\033[1m%s'`, "'%2$s'", "'%q'", "'100%% %s'", "'%b'", "'%(%F)T'", "%n", "%ln", "'%c%x'", "--", "'% d'", "%R", "%H", "%B"}
	printed = []string{"PATH=5", "PATH=5", "PATH", "'a[$(: > pwned)]'", "'a[`: > pwned`]'", "5", "-1", "0x1F", "a", "PATH++", "--PATH", "'%d'", "--", "'(PATH=5)'", "'x?PATH=5:0'", "'1,PATH=5'", "/etc/passwd"}
)

func randomLine(random *rand.Rand, names []string) string {
	pick := func(words []string) string { return words[random.IntN(len(words))] }
	one := func() string {
		name := pick(names)
		if random.IntN(2) == 0 {
			name = pick(powerful)
		}
		words := []string{name}
		for range random.IntN(6) {
			switch random.IntN(8) {
			case 0:
				words = append(words, pick(attacks))
			case 1, 2, 3:
				words = append(words, pick(operands))
			case 4, 5:
				words = append(words, randomOption(random, cmdline.ReadOnlyPrograms()[name]), "--", pick(phrases))
			default:
				words = append(words, randomOption(random, cmdline.ReadOnlyPrograms()[name]))
			}
		}
		// Words with another meaning in another position are inserted between random words.
		for random.IntN(3) == 0 {
			words = slices.Insert(words, 1+random.IntN(len(words)), pick([]string{"--", "--", "''", "--x=y", "--output=pwned", "="}))
		}
		return strings.Join(words, " ")
	}
	line := one()
	if random.IntN(8) == 0 {
		line = "printf " + pick(formats) + " " + pick(printed) + " " + pick(printed) + "; ls; " + line
	}
	if random.IntN(8) == 0 {
		line = "cd " + pick([]string{"sub", "docs/v1", "sub/deep", "docs"}) + " && " + line
	}
	for random.IntN(4) == 0 {
		line += pick([]string{" | ", " && ", "; ", " || "}) + one()
	}
	return line
}

// randomOption returns a random option of the table, sometimes followed by another letter.
func randomOption(random *rand.Rand, program cmdline.ReadOnlyProgram) string {
	var options []string
	for _, flag := range program.Letters {
		options = append(options, "-"+string(flag))
	}
	for _, long := range program.Long {
		if strings.HasSuffix(long, "=") {
			long += operands[random.IntN(len(operands))]
		}
		options = append(options, "--"+long)
	}
	options = append(options, program.Words...)
	if len(options) == 0 {
		return attacks[random.IntN(len(attacks))]
	}
	option := options[random.IntN(len(options))]
	if random.IntN(5) == 0 && !strings.HasPrefix(option, "--") {
		option += string(rune('a' + random.IntN(26)))
	}
	if random.IntN(5) == 0 && !strings.HasPrefix(option, "--") {
		option += operands[random.IntN(len(operands))]
	}
	return option
}

// watched are the system calls that must not succeed in a program, and the calls that identify the
// program.
const watched = "trace=execve,execveat,clone,clone3,fork,vfork,open,openat,openat2,creat,mkdir,mkdirat,unlink,unlinkat,rmdir,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mknod,mknodat," +
	"truncate,ftruncate,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,utime,utimes,utimensat,futimesat,setxattr,lsetxattr,fsetxattr,removexattr,socket,connect,mount"

// watch runs lines in a shell, which is bash if the name is empty. It returns their forbidden
// actions.
func (p hostilePlace) watch(t *testing.T, strace, shell string, lines []string, confined bool) []string {
	t.Helper()
	path := os.Getenv("PATH")
	if shell != "" {
		first := asBash(t, shell)
		if first == "" {
			return nil
		}
		path = first + ":" + path
	}
	dir := t.TempDir()
	content, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/lines", content, 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for tries := 1; ; tries++ {
		cmd := exec.CommandContext(t.Context(), strace, "-f", "--seccomp-bpf", "-qq", "-y", "-s", "2000", "-e", watched, "-e", "signal=none", "-o", dir+"/trace", self)
		cmd.Dir = p.root
		cmd.Env = append(os.Environ(), linesVariable+"="+dir+"/lines", "PATH="+p.root+"/bin:.:"+path, "LC_ALL=C")
		if confined {
			cmd.Env = append(cmd.Env, confinedVariable+"=1")
		}
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		// On a busy machine strace itself may fail: "ptrace(PTRACE_LISTEN,pid:1): Input/output
		// error".
		if tries == 3 || !strings.Contains(string(out), "strace: ptrace(") {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	trace, err := os.Open(dir + "/trace")
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	return p.offences(bufio.NewScanner(trace))
}

// offences reads a trace and returns the forbidden actions of the commands.
func (p hostilePlace) offences(trace *bufio.Scanner) []string {
	trace.Buffer(nil, 1<<20)
	var found []string
	commands := map[string]string{} // the command line of each process
	began := map[string]string{}    // the unfinished call of each process
	var calls [][2]string
	for trace.Scan() {
		pid, call, _ := strings.Cut(trace.Text(), " ")
		call = strings.TrimSpace(call)
		if start, unfinished := strings.CutSuffix(call, "<unfinished ...>"); unfinished {
			began[pid] = start
			if isStart(call) {
				calls = append(calls, [2]string{pid, call}) // children may act before the call returns
			}
			continue
		}
		if _, rest, resumed := strings.Cut(call, "resumed>"); resumed {
			call = began[pid] + rest
		}
		calls = append(calls, [2]string{pid, call})
	}
	parents := map[string]string{}
	for _, c := range calls {
		if isStart(c[1]) {
			if child := c[1][strings.LastIndex(c[1], "= ")+2:]; child != "" && strings.Contains(c[1], "= ") {
				parents[strings.Fields(child)[0]] = c[0]
			}
		}
	}
	for _, c := range calls {
		pid, call := c[0], c[1]
		if _, line, ok := strings.Cut(call, `", "-c", "--", "`); ok && strings.HasPrefix(call, "execve(") {
			line, _, _ = strings.Cut(line, `"], `)
			commands[pid] = line
			continue
		}
		line := ""
		for at, n := pid, 0; at != "" && n < 50; at, n = parents[at], n+1 {
			if line = commands[at]; line != "" {
				break
			}
		}
		if offence := p.offence(call); line != "" && offence != "" {
			found = append(found, fmt.Sprintf("%s: %s: %s", line, offence, call))
		}
	}
	return found
}

func isStart(call string) bool {
	name, _, _ := strings.Cut(call, "(")
	return name == "clone" || name == "clone3" || name == "fork" || name == "vfork"
}

// offence returns the reason why a call is forbidden, or an empty string.
func (p hostilePlace) offence(call string) string {
	name, rest, _ := strings.Cut(call, "(")
	at := strings.LastIndex(call, " = ")
	if at < 0 || strings.HasPrefix(call[at+3:], "-1") || strings.HasPrefix(call[at+3:], "?") {
		return "" // the call failed
	}
	result := call[at+3:]
	switch name {
	case "execve", "execveat":
		program, _, _ := strings.Cut(strings.TrimPrefix(rest, `"`), `"`)
		if strings.HasPrefix(program, filepath.Dir(p.root)) || !strings.HasPrefix(program, "/") || !isOfTheTable(filepath.Base(program)) {
			return "runs a program"
		}
	case "open", "openat", "openat2":
		switch {
		case strings.Contains(result, "<"+p.outside) || strings.Contains(result, "</etc/passwd>") && strings.Contains(rest, "leak"):
			return "opens what is outside"
		case strings.Contains(rest, `"/dev/null"`) || strings.Contains(rest, `"/dev/tty"`) || strings.Contains(result, "</dev/null"):
		case strings.Contains(rest, "O_WRONLY") || strings.Contains(rest, "O_RDWR") || strings.Contains(rest, "O_CREAT") || strings.Contains(rest, "O_TRUNC"):
			return "writes"
		}
	case "clone", "clone3", "fork", "vfork":
	case "socket":
		if strings.Contains(rest, "AF_INET") || strings.Contains(rest, "AF_NETLINK") {
			return "uses the network"
		}
	case "connect":
		return "connects"
	default:
		return "writes"
	}
	return ""
}

// isOfTheTable reports whether a program is read-only, or is needed to run a read-only program.
func isOfTheTable(program string) bool {
	if slices.Contains([]string{"bash", "sh", "git", "go", "false", "which.debianutils"}, program) {
		return true
	}
	for name := range cmdline.ReadOnlyPrograms() {
		if first, _, _ := strings.Cut(name, " "); first == program {
			return true
		}
	}
	return strings.HasPrefix(program, "git-")
}
