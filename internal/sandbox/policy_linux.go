package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/sandbox/launcher"

	"golang.org/x/sys/unix"
)

// The access rights of Landlock.
const (
	mayRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	mayList = unix.LANDLOCK_ACCESS_FS_READ_DIR
	mayAll  = 1<<16 - 1
)

// harmlessDevices lists the devices that a command can use below /dev.
var harmlessDevices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// newRuleset returns a ruleset for a kernel with the given version of Landlock.
func newRuleset(abi int, rules []launcher.Rule) *launcher.Ruleset {
	rights := [...]int{13, 13, 14, 15, 15, 16}[min(abi, 5)] // rights per version of Landlock
	set := &launcher.Ruleset{Rules: rules, Handled: 1<<rights - 1}
	if abi >= scopeABI {
		set.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return set
}

// landlockABI returns the version of Landlock in the kernel, or 0 if it has none.
func landlockABI() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// scopeABI is the first version of Landlock that limits signals and abstract sockets.
const scopeABI = 6

func grant(access uint64, paths ...string) []launcher.Rule {
	var rules []launcher.Rule
	for _, path := range paths {
		rules = append(rules, launcher.Rule{Path: path, Access: access})
	}
	return rules
}

// rulesBesideMounts returns the rules for a command if mounts hide its hidden files.
func (p Policy) rulesBesideMounts() []launcher.Rule {
	rules := grant(mayRead, "/")
	rules = append(rules, grant(mayAll, p.writable()...)...)
	if p.PrivateTemp != "" {
		rules = append(rules, grant(mayAll, SystemTemp)...)
	}
	rules = append(rules, grant(mayAll, "/dev/shm", "/dev/pts", "/dev/ptmx")...)
	return append(rules, grant(mayAll, harmlessDevices...)...)
}

// rulesAlone returns the rules if only Landlock can hide files. Landlock rules can only allow. So a
// folder above a hidden path gets no right, but each of its other children does. listed holds the
// folders whose entries determined the rules, with their stamps.
func (p Policy) rulesAlone() (rules []launcher.Rule, listed []stamp) {
	hidden := append(slices.Clone(p.DenyRead), "/dev")
	var walk func(dir string)
	walk = func(dir string) {
		holds := false
		for _, path := range hidden {
			if fsutil.Within(dir, path) {
				return
			}
			holds = holds || fsutil.Within(path, dir)
		}
		if !holds {
			rules = append(rules, grant(mayRead, dir)...)
			return
		}
		listed = append(listed, stampOf(dir))
		rules = append(rules, grant(mayList, dir)...)
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			if entry.Type()&fs.ModeSymlink == 0 { // a rule would apply to the target of the link
				walk(filepath.Join(dir, entry.Name()))
			}
		}
	}
	walk("/")
	for _, path := range p.writable() {
		if !slices.ContainsFunc(p.DenyRead, func(denied string) bool { return fsutil.Within(denied, path) }) {
			rules = append(rules, grant(mayAll, path)...)
			continue
		}
		// The command then cannot create files in this folder, but hidden files stay hidden.
		listed = append(listed, stampOf(path))
		entries, _ := os.ReadDir(path)
		for _, entry := range entries {
			child := filepath.Join(path, entry.Name())
			if entry.Type()&fs.ModeSymlink == 0 && !slices.ContainsFunc(p.DenyRead, func(denied string) bool { return fsutil.Within(denied, child) || fsutil.Within(child, denied) }) {
				rules = append(rules, grant(mayAll, child)...)
			}
		}
	}
	rules = append(rules, grant(mayList, "/dev")...)
	if p.Profile == ProfileWork {
		rules = append(rules, grant(mayAll, "/dev/shm")...)
	}
	return append(rules, grant(mayAll, harmlessDevices...)...), listed
}

// listeningSockets returns the socket files through which a command could reach programs outside,
// since no namespace hides these files. Sockets below /run are omitted, because the helper replaces
// /run.
func listeningSockets() []string {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	var paths []string
	for line := range strings.Lines(string(table)) {
		// Num RefCount Protocol Flags Type St Inode Path
		fields := strings.Fields(line)
		if len(fields) < 8 || !filepath.IsAbs(fields[7]) || fsutil.Within(fields[7], "/run") {
			continue
		}
		if _, err := os.Lstat(fields[7]); err == nil && !slices.Contains(paths, fields[7]) {
			paths = append(paths, fields[7])
		}
	}
	return paths
}
