package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"agent/internal/base/rawjson"
	"agent/internal/compression"
	"agent/internal/session"
	"agent/internal/settings"
)

// An installation stores its default strategy, which is chosen once, before its first session is recorded.
// Conversations without a chosen strategy use it (D-90).
type installation struct {
	Strategy string `json:"strategy"`
	// BySessions is set if the recorded sessions alone determined the strategy. Earlier programs also
	// treated a profile or a configuration as a sign of an older installation, but people copy these to new
	// machines.
	BySessions bool `json:"bySessions,omitempty"`
}

func (f Folders) homeFile() string { return filepath.Join(f.Data, "home.json") }

// usualStrategy returns the strategy of conversations without a chosen strategy: the stored default.
// Without a stored default, it returns the former default if a program that had it has recorded a session
// here.
func (f Folders) usualStrategy() string {
	known := f.readHome()
	switch {
	case known.Strategy == compression.CacheAwareName, known.BySessions && slices.Contains(compression.Names(), known.Strategy):
		return known.Strategy
	case f.hasOlderSession():
		return compression.DefaultName
	}
	return compression.CacheAwareName
}

// readHome returns the content of the home file, the zero value if it is missing or damaged.
func (f Folders) readHome() (known installation) {
	known, _ = rawjson.ReadShared[installation](f.homeFile())
	return known
}

// hasOlderSession reports whether an earlier program, which did not record the strategy, has recorded a
// session.
func (f Folders) hasOlderSession() bool {
	logs, err := fs.Glob(os.DirFS(f.Sessions()), "*/*.jsonl")
	return err == nil && slices.ContainsFunc(logs, func(path string) bool {
		return !session.StartsWithSetting(filepath.Join(f.Sessions(), path), settings.CompressionStrategy.Key())
	})
}

// storeStrategy writes the default strategy to the home file before the first session is recorded. It
// corrects a file in which a copied configuration counted as an older installation. It returns a notice for
// the user, or "" for none.
func (f Folders) storeStrategy() (notice string, err error) {
	known := f.readHome()
	chosen := installation{f.usualStrategy(), true}
	if known.BySessions || known.Strategy == compression.CacheAwareName {
		return "", nil
	}
	if err := rawjson.ChangeShared(f.homeFile(), func(h *installation) { *h = chosen }); err != nil {
		return "", err
	}
	switch {
	case known.Strategy == "" && chosen.Strategy == compression.DefaultName:
		return "This installation still prunes the context with " + chosen.Strategy + ". New installations use " + compression.CacheAwareName +
			", which weighs the cost of each pruning pass. To use it, type /set compression-strategy " + compression.CacheAwareName, nil
	case known.Strategy == compression.DefaultName && chosen.Strategy == compression.CacheAwareName:
		return "The default of compression.strategy is now " + chosen.Strategy + ", because this installation has no session with the old default.", nil
	}
	return "", nil
}
