package app

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/user"
	"path/filepath"
	"slices"

	"agent/internal/app/hookgates"
	"agent/internal/base/fsutil"
	"agent/internal/gitfiles/layout"
	"agent/internal/protect"
	"agent/internal/protect/sensitive"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/workspace"
)

// SandboxPolicy returns the permissions of commands in a workspace. It does not set the profile.
func (p *Process) SandboxPolicy(f Folders, s *settings.Settings, found *sensitive.Survey, place *workspace.Workspace) sandbox.Policy {
	root := place.Root()
	return sandbox.Policy{
		Workspace: root,
		Temp:      place.TempDir(),

		PrivateTemp: place.MakeOwnTemp(),
		AllowWrite:  p.userPaths(settings.SandboxAllowWrite.Value(s)),
		DenyRead:    p.secrets(slices.Concat(p.ownFiles(f, s), p.userPaths(settings.SandboxDenyRead.Value(s)))),
		Protected:   protect.AutoExecutedPaths(root),

		GitConfigurations: p.gitConfigurations(),
		Survey:            found,
		AllowRead:         settings.Paths(settings.SandboxAllowRead.Value(s), p.Home, root),
		Network:           settings.SandboxAllowNetwork.Value(s),
		Caches:            p.cacheFolder(root),
		UserCaches:        sandbox.UserCaches(p.Home, p.Env),
	}
}

// gitConfigurations returns the paths of the system's and the user's git configuration.
func (p *Process) gitConfigurations() []string {
	files := []string{"/etc/gitconfig"}
	if p.Home != "" {
		files = append(files, filepath.Join(p.Home, ".gitconfig"), filepath.Join(cmp.Or(p.Env("XDG_CONFIG_HOME"), filepath.Join(p.Home, ".config")), "git", "config"))
	}
	if named := p.Env("GIT_CONFIG_GLOBAL"); named != "" {
		files = append(files, named)
	}
	return files
}

// secrets returns the paths that no confined command may read. They are the secret files in the home
// folder, the secrets of the system, and the paths in further. If HOME differs from the real home folder,
// both are included; for root, the home folders of all users are.
func (p *Process) secrets(further []string) []string {
	homes := []string{p.Home}
	if me, err := user.Current(); err == nil {
		homes = append(homes, me.HomeDir)
	}
	if os.Geteuid() == 0 {
		others, _ := filepath.Glob("/home/*")
		homes = append(homes, others...)
	}
	slices.Sort(homes)
	paths := slices.Concat(further, protect.SystemSecrets())
	for _, home := range slices.Compact(homes) {
		paths = append(paths, protect.Secrets(home)...)
	}
	return paths
}

// ownFiles returns the folders and files of the program itself.
func (p *Process) ownFiles(f Folders, s *settings.Settings) []string {
	own := []string{fsutil.ResolveLinks(f.Config), fsutil.ResolveLinks(f.Data), fsutil.ResolveLinks(f.State)}
	for _, folder := range p.SocketFolders(f) {
		// A command that can connect to the socket of a session could answer its own approval prompts. Only
		// an existing folder can be hidden, but another session may create the folder later.
		_ = os.MkdirAll(folder, 0o700) // without the folder no session can create a socket there
		own = append(own, fsutil.ResolveLinks(folder))
	}
	return append(own, p.realPaths(settings.AuthKeyfile.Value(s))...)
}

// realPaths returns the result of userPaths with symbolic links resolved.
func (p *Process) realPaths(list string) []string {
	paths := p.userPaths(list)
	for i, path := range paths {
		paths[i] = fsutil.ResolveLinks(path)
	}
	return paths
}

func (p *Process) userPaths(list string) []string { return settings.Paths(list, p.Home, p.Dir) }

// confinement computes the sandbox of commands.
type confinement struct {
	at    *place
	rules *hookgates.Rules
	// guarded holds the files that approved items are written in and run.
	guarded *guarded
}

// environ returns the part of the environment that commands receive.
func (c confinement) environ() []string { return sandbox.Environ(c.at.process.Environ, c.allowEnv()) }

func (c confinement) allowEnv() []string {
	return settings.SplitItems(settings.SandboxAllowEnv.Value(c.at.settings))
}

// now returns the sandbox of commands for the current settings.
func (c confinement) now() sandbox.Confinement {
	confined := sandbox.Confinement{
		Sandbox:  sandbox.NewUnconfined("it is turned off"),
		Policy:   c.at.process.SandboxPolicy(c.at.folders, c.at.settings, c.at.survey, c.at.workspace),
		AllowEnv: c.allowEnv(),
	}
	confined.Policy.Approved = c.guarded.all()
	confined.Policy.Protected = slices.Concat(confined.Policy.Protected, confined.Policy.Approved, c.guarded.programs, c.rules.Fixed)
	confined.Policy.DenyRead = append(confined.Policy.DenyRead, c.rules.Hidden...)
	if settings.Sandbox.Value(c.at.settings) != settings.SandboxOff {
		confined.Sandbox = sandbox.Detect()
	}
	return confined
}

// cacheFolder returns the folder for the caches of commands in a workspace, or "" if there is none. The
// worktrees of a repository share the folder, so that builds in a new worktree use the cache.
func (p *Process) cacheFolder(root string) string {
	base := p.Caches()
	if base == "" {
		return ""
	}
	root = layout.MainFolder(root)
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(base, filepath.Base(root)+"-"+hex.EncodeToString(sum[:6]))
}

// Caches returns the cache folder of the program, or "" if there is none.
func (p *Process) Caches() string {
	base := cmp.Or(p.CacheHome, p.Env("XDG_CACHE_HOME"))
	if base == "" && p.Home != "" {
		base = filepath.Join(p.Home, ".cache")
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	return filepath.Join(base, "agent")
}
