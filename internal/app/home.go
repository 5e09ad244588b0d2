package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"agent/internal/compression"
	"agent/internal/disk"
	"agent/internal/rawjson"
)

// home is what an installation keeps of the time it was new: which strategy its
// conversations have where nobody has chosen one (D-90).
type home struct {
	Strategy string `json:"strategy"`
}

// homeFile keeps it.
func (f Folders) homeFile() string { return filepath.Join(f.Data, "home.json") }

// usualStrategy is the strategy of conversations where nobody has chosen one. An
// installation that is older than the file keeps what it had.
func (f Folders) usualStrategy() string {
	var known home
	data, err := disk.Read(f.homeFile())
	switch {
	case err == nil && json.Unmarshal(data, &known) == nil && slices.Contains(compression.Names(), known.Strategy):
		return known.Strategy
	case f.used():
		return compression.DefaultName
	}
	return compression.CacheAwareName
}

// used reports whether there is a session, a profile or a configuration.
func (f Folders) used() bool {
	for _, pattern := range []string{
		filepath.Join(f.Sessions(), "*"), filepath.Join(f.Config, "profiles", "*"), filepath.Join(f.Config, "config.json"),
	} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// settle keeps the strategy as it is before the first session is recorded. It returns what
// the person should know, "" for nothing.
func (f Folders) settle() (notice string, err error) {
	if _, err := os.Stat(f.homeFile()); err == nil {
		return "", nil
	}
	chosen := home{f.usualStrategy()}
	data, err := rawjson.Marshal(chosen)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(f.Data, 0o700); err != nil {
		return "", err
	}
	if err := disk.Replace(f.homeFile(), append(data, '\n'), 0o600); err != nil || chosen.Strategy == compression.CacheAwareName {
		return "", err
	}
	return "The context is pruned by " + chosen.Strategy + " as before; new installations use " + compression.CacheAwareName +
		", which asks what each cut costs (/set compression-strategy " + compression.CacheAwareName + ").", nil
}
