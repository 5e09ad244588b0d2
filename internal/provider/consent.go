package provider

import (
	"fmt"
	"slices"

	"agent/internal/disk"
	"agent/internal/rawjson"
)

// consent is what the user has allowed for good. It is a file of the configuration that people
// can read and edit.
type consent struct {
	path string
}

// allowed is the content of the file.
type allowed struct {
	// KeyHosts are the places (see Place) that may be sent OPENAI_API_KEY.
	KeyHosts []string `json:"hostsForOpenAIKey"`
	// LocalServers are the base URLs of servers that may be used without being set.
	LocalServers []string `json:"localServers"`
	// Provider is the vendor that is used where no endpoint is set, "" for none.
	Provider string `json:"provider"`
}

// read returns the content of the file. One that cannot be read allows nothing.
func (c consent) read() allowed {
	a, _ := rawjson.ReadShared[allowed](c.path)
	return a
}

func (c consent) keyMayGoTo(place string) bool { return slices.Contains(c.read().KeyHosts, place) }

func (c consent) mayUse(baseURL string) bool { return slices.Contains(c.read().LocalServers, baseURL) }

// remember adds to the file. Members of others stay, and what another program adds at the same
// time.
func (c consent) remember(add func(*allowed)) error {
	if err := rawjson.ChangeShared(c.path, add); err != nil {
		return fmt.Errorf("what you allowed cannot be remembered in %s: %w", c.path, disk.Reason(err))
	}
	return nil
}
