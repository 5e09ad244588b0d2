package sandbox

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/gitfiles/layout"
)

// Cache is a folder of files that a build tool of the user can create or download again.
type Cache struct {
	// Name identifies the cache. Path is its folder.
	Name, Path string
	// upper is the upper folder of the layer, which receives the files that commands write to the
	// cache.
	upper string
}

// cacheOf describes the location of a build tool's cache.
type cacheOf struct {
	name string
	// variable is the name of the variable with the path of a folder. below is the path of the
	// cache relative to that folder.
	variable, below string
	// usual is the path of the cache if the variable is not set. It is relative to the home
	// folder, or to one of the XDG folders if it begins with cacheHome or dataHome.
	usual string
	// movable is set if the variable can give a confined command a separate, empty cache.
	movable bool
}

const cacheHome, dataHome = "$XDG_CACHE_HOME/", "$XDG_DATA_HOME/"

// knownCaches lists the caches of build tools. Commands see a cache through a separate layer,
// because files that they put there could run outside the sandbox later. A folder that holds more
// than a cache is not listed: for cargo, gradle and maven only parts of it are. The build folder of
// cargo stays in the workspace, where users expect its results.
var knownCaches = []cacheOf{
	{name: "go-build", variable: "GOCACHE", usual: cacheHome + "go-build", movable: true},
	{name: "golangci-lint", variable: "GOLANGCI_LINT_CACHE", usual: cacheHome + "golangci-lint", movable: true},
	{name: "staticcheck", variable: "STATICCHECK_CACHE", usual: cacheHome + "staticcheck", movable: true},
	{name: "gopls", usual: cacheHome + "gopls"},
	{name: "go-modules", variable: "GOMODCACHE"},
	{name: "go-path-modules", variable: "GOPATH", below: "pkg/mod", usual: "go/pkg/mod"},
	{name: "npm", variable: "npm_config_cache", usual: ".npm", movable: true},
	{name: "yarn", variable: "YARN_CACHE_FOLDER", usual: cacheHome + "yarn", movable: true},
	{name: "yarn-berry", usual: ".yarn/berry/cache"},
	{name: "pnpm", usual: cacheHome + "pnpm"},
	{name: "pnpm-store", variable: "PNPM_HOME", below: "store", usual: dataHome + "pnpm/store"},
	{name: "pip", variable: "PIP_CACHE_DIR", usual: cacheHome + "pip", movable: true},
	{name: "uv", variable: "UV_CACHE_DIR", usual: cacheHome + "uv", movable: true},
	{name: "cargo-registry", variable: "CARGO_HOME", below: "registry", usual: ".cargo/registry"},
	{name: "cargo-git", variable: "CARGO_HOME", below: "git", usual: ".cargo/git"},
	{name: "gradle", variable: "GRADLE_USER_HOME", below: "caches", usual: ".gradle/caches"},
	{name: "gradle-wrapper", variable: "GRADLE_USER_HOME", below: "wrapper", usual: ".gradle/wrapper"},
	{name: "gradle-native", variable: "GRADLE_USER_HOME", below: "native", usual: ".gradle/native"},
	{name: "gradle-daemon", variable: "GRADLE_USER_HOME", below: "daemon", usual: ".gradle/daemon"},
	{name: "maven", usual: ".m2/repository"},
	{name: "maven-wrapper", usual: ".m2/wrapper"},
	{name: "ccache", variable: "CCACHE_DIR", usual: cacheHome + "ccache", movable: true},
	{name: "ccache-home", usual: ".ccache"},
}

// UserCaches returns the caches of build tools that the user has, for the given home folder and
// environment. It respects values that the user has set with "go env -w".
func UserCaches(home string, env func(name string) string) []Cache {
	set := goSettings(cmp.Or(env("GOENV"), filepath.Join(cmp.Or(env("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "go", "env")))
	var found []Cache
	for _, c := range knownCaches {
		path := ""
		if named := cmp.Or(env(c.variable), set[c.variable]); named != "" {
			path = filepath.Join(named, c.below)
		} else if rest, ok := strings.CutPrefix(c.usual, cacheHome); ok {
			path = filepath.Join(cmp.Or(env("XDG_CACHE_HOME"), filepath.Join(home, ".cache")), rest)
		} else if rest, ok := strings.CutPrefix(c.usual, dataHome); ok {
			path = filepath.Join(cmp.Or(env("XDG_DATA_HOME"), filepath.Join(home, ".local/share")), rest)
		} else if c.usual != "" {
			path = filepath.Join(home, c.usual)
		}
		if filepath.IsAbs(path) {
			found = append(found, Cache{Name: c.name, Path: path})
		}
	}
	return found
}

// goSettings returns the values of a file that "go env -w" writes.
func goSettings(file string) map[string]string {
	set := map[string]string{}
	if !filepath.IsAbs(file) {
		return set // a value such as "off" does not name a file
	}
	content, _ := fsutil.Read(file)
	for line := range strings.Lines(string(content)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			set[name] = value
		}
	}
	return set
}

// layers returns the user's caches that can get a layer for a command in Work. These are the
// existing folders that the command may read but not write. A folder above or below a writable or
// hidden path is omitted. All are omitted if the command could write to the layers themselves.
func (p Policy) layers() []Cache {
	if p.Profile != ProfileWork || p.Caches == "" {
		return nil
	}
	apart := slices.Concat(p.writable(), p.DenyRead)
	meets := func(path string) bool {
		return slices.ContainsFunc(apart, func(other string) bool {
			return fsutil.Within(path, other) || fsutil.Within(other, path)
		})
	}
	if meets(p.layerFolder) {
		return nil
	}
	var found []Cache
	for _, c := range p.UserCaches {
		c.Path = layout.Real(c.Path)
		info, err := os.Stat(c.Path)
		if c.Path == "" || err != nil || !info.IsDir() || meets(c.Path) || slices.ContainsFunc(found, func(other Cache) bool {
			return fsutil.Within(c.Path, other.Path) || fsutil.Within(other.Path, c.Path)
		}) {
			continue
		}
		if dir, err := os.Open(c.Path); err == nil {
			_ = dir.Close()
			found = append(found, c)
		}
	}
	return found
}

// ownCaches returns the caches for which a command in Work gets a separate folder instead of a
// layer on the user's cache.
func (p Policy) ownCaches() []cacheOf {
	if p.Profile != ProfileWork || p.Caches == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(knownCaches), func(c cacheOf) bool {
		return !c.movable || slices.ContainsFunc(p.layered, func(on Cache) bool { return on.Name == c.name })
	})
}

// emptyCaches returns the caches that are empty for a command, each with the folder that receives
// the files of the command.
func (p Policy) emptyCaches() []Cache {
	var empty []Cache
	for _, c := range p.ownCaches() {
		if path := filepath.Join(p.Caches, c.name); isEmpty(path) {
			empty = append(empty, Cache{Name: c.name, Path: path})
		}
	}
	for _, c := range p.layered {
		if isEmpty(c.Path) && isEmpty(c.upper) {
			empty = append(empty, Cache{Name: c.Name, Path: c.upper})
		}
	}
	return empty
}

// filled returns the names of the given caches that are no longer empty.
func filled(caches []Cache) (names []string) {
	for _, c := range caches {
		if !isEmpty(c.Path) {
			names = append(names, c.Name)
		}
	}
	return names
}

// isEmpty reports whether a folder has no entries or does not exist.
func isEmpty(path string) bool {
	dir, err := os.Open(path)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	defer dir.Close()
	_, err = dir.Readdirnames(1)
	return errors.Is(err, io.EOF)
}
