package app

import (
	"os"
	"path/filepath"
	"time"

	"agent/internal/provider/catalogue"
)

// The time of modelsToldFile is when a user last saw the notice that the list of models is old. modelsTold
// is the interval between notices.
const (
	modelsToldFile = "models-told"
	modelsTold     = 30 * 24 * time.Hour
)

// outdatedModels returns a notice, at most once in modelsTold, if the list of models is too old to be
// relied on.
func outdatedModels(state string, now time.Time) (notice string) {
	if !catalogue.IsOutdated(now) {
		return ""
	}
	told := filepath.Join(state, modelsToldFile)
	if info, err := os.Stat(told); err == nil && now.Sub(info.ModTime()) < modelsTold {
		return ""
	}
	if os.MkdirAll(state, 0o700) == nil && os.WriteFile(told, nil, 0o600) == nil {
		_ = os.Chtimes(told, now, now) // if this fails, the notice is printed again
	}
	return "The model list is from " + catalogue.ListDate().Format(time.DateOnly) + ", more than 60 days ago. Pruning treats its prices as unknown. Run: agent models --refresh"
}
