package provider

import (
	"fmt"
	"path/filepath"
	"slices"

	"agent/internal/disk"
	"agent/internal/rawjson"
)

// consent is what the user has allowed, once and for all: a file of the
// configuration that can be read, and edited, by people.
type consent struct {
	path string
}

// allowed is the content of the file.
type allowed struct {
	// KeyHosts are the places (see Place) that may be sent OPENAI_API_KEY.
	KeyHosts []string `json:"hostsForOpenAIKey"`
	// LocalServers may be used without being named, by base URL.
	LocalServers []string `json:"localServers"`
}

func newConsent(folder string) consent { return consent{filepath.Join(folder, "allowed.json")} }

// read returns what is allowed. A file that cannot be read allows nothing.
func (c consent) read() (allowed, error) {
	a, err := rawjson.ReadShared[allowed](c.path)
	if err != nil {
		return a, fmt.Errorf("%s: %w", c.path, disk.Reason(err))
	}
	return a, nil
}

func (c consent) keyMayGoTo(place string) bool {
	a, _ := c.read()
	return slices.Contains(a.KeyHosts, place)
}

func (c consent) mayUse(baseURL string) bool {
	a, _ := c.read()
	return slices.Contains(a.LocalServers, baseURL)
}

// remember adds to what is allowed. What others keep in the file stays, and what another
// program adds at the same time.
func (c consent) remember(add func(*allowed)) error {
	if err := rawjson.ChangeShared(c.path, add); err != nil {
		return fmt.Errorf("what you allowed cannot be remembered in %s: %w", c.path, disk.Reason(err))
	}
	return nil
}
