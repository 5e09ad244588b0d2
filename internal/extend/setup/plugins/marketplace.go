package plugins

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/extend/setup/trustedfile"
)

// An MarketplaceEntry is an entry of a marketplace.json: a plugin that the user can add.
type MarketplaceEntry struct {
	Name, Description string
	// Path is the folder of the plugin in the repository. If another repository contains the
	// plugin, Elsewhere names it and Path is "".
	Path, Elsewhere string
}

// String describes the offer in one line.
func (o MarketplaceEntry) String() string {
	line := o.Name + "  " + humanize.Line(o.Description, 120)
	if o.Elsewhere != "" {
		line += "  (agent plugin add " + o.Elsewhere + ")"
	}
	return line
}

// addresses matches repositories that are safe to print as an argument of a command: not an option,
// and one plain word for a shell.
var addresses = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._~:/@+-]*$`)

// ReadMarketplace returns the plugins that a repository lists in .claude-plugin/marketplace.json. It returns
// none if the file is missing.
func ReadMarketplace(dir string) ([]MarketplaceEntry, error) {
	file := filepath.Join(dir, ".claude-plugin", "marketplace.json")
	data, err := trustedfile.ReadScope{Root: dir}.ReadSettings(file, trustedfile.MaxSettings)
	if data == nil {
		return nil, err
	}
	var market struct {
		Plugins []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Source      json.RawMessage `json:"source"`
		} `json:"plugins"`
		Metadata struct {
			Root string `json:"pluginRoot"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(data, &market); err != nil {
		return nil, fmt.Errorf("marketplace.json: %w", err)
	}
	var offers []MarketplaceEntry
	for _, p := range market.Plugins {
		o := MarketplaceEntry{Name: p.Name, Description: p.Description}
		var folder string
		var other struct {
			Repo string `json:"repo"`
			URL  string `json:"url"`
		}
		switch {
		case json.Unmarshal(p.Source, &folder) == nil:
			o.Path = path.Join(".", market.Metadata.Root, strings.TrimPrefix(folder, "./"))
			if !filepath.IsLocal(filepath.FromSlash(o.Path)) {
				continue
			}
		case json.Unmarshal(p.Source, &other) == nil && addresses.MatchString(other.Repo+other.URL):
			o.Elsewhere = other.Repo + other.URL
		default:
			continue
		}
		if names.MatchString(o.Name) {
			offers = append(offers, o)
		}
	}
	return offers, nil
}
