package provider

import (
	"fmt"
	"slices"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"
)

// consent is the file with the servers and vendors that the user has permanently approved. Users can read
// and edit it.
type consent struct {
	path string
}

// allowed is the part of the file that this package uses.
type allowed struct {
	// KeyHosts lists the places (see KeyHost) to which OPENAI_API_KEY may be sent.
	KeyHosts []string `json:"hostsForOpenAIKey"`
	// LocalServers lists the base URLs of servers that may be used without being configured.
	LocalServers []string `json:"localServers"`
	// FallbackHosts lists the places (see KeyHost) at which a conversation may continue while its own
	// endpoint fails.
	FallbackHosts []string `json:"fallbackHosts"`
	// Provider is the vendor to use if no endpoint is set, or "".
	Provider string `json:"provider"`
}

// read returns the content of the file. A file that cannot be read allows nothing.
func (c consent) read() allowed {
	a, _ := rawjson.ReadShared[allowed](c.path)
	return a
}

func (c consent) keyMayGoTo(place string) bool { return slices.Contains(c.read().KeyHosts, place) }

func (c consent) mayUse(baseURL string) bool { return slices.Contains(c.read().LocalServers, baseURL) }

// remember adds to the file. It keeps the members of other packages, and the changes of other processes
// that run at the same time.
func (c consent) remember(add func(*allowed)) error {
	if err := rawjson.ChangeShared(c.path, add); err != nil {
		return fmt.Errorf("can't save your answer in %s: %w", c.path, fsutil.Reason(err))
	}
	return nil
}
