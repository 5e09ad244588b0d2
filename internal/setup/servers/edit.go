package servers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/disk"
	"agent/internal/rawjson"

	"github.com/tailscale/hujson"
)

// New is a server as a person adds it.
type New struct {
	Type    Transport         `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// Add writes a server into a file, which is made if there is none. A name that is taken
// is refused. Comments and other entries stay as they are.
func Add(file, name string, added New) error {
	if why := CheckName(name); why != "" {
		return errors.New(why)
	}
	raw, err := rawjson.Marshal(added)
	if err != nil {
		return err
	}
	if _, _, err := parse(name, raw); err != nil {
		return err
	}
	return edit(file, func(has map[string]json.RawMessage) ([]step, error) {
		if _, taken := has[name]; taken {
			return nil, fmt.Errorf("%s has a server %s already; agent mcp remove %s takes it out", file, name, name)
		}
		if has == nil {
			return []step{{"add", "/mcpServers", map[string]json.RawMessage{name: raw}}}, nil
		}
		return []step{{"add", "/mcpServers/" + name, json.RawMessage(raw)}}, nil
	})
}

// Remove takes a server out of a file.
func Remove(file, name string) error {
	return edit(file, func(has map[string]json.RawMessage) ([]step, error) {
		if _, there := has[name]; !there {
			return nil, fmt.Errorf("%s has no server %s", file, name)
		}
		return []step{{Op: "remove", Path: "/mcpServers/" + name}}, nil
	})
}

// SetDisabled says in a file whether a server is used.
func SetDisabled(file, name string, disabled bool) error {
	return edit(file, func(has map[string]json.RawMessage) ([]step, error) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(has[name], &fields) != nil || fields == nil {
			return nil, fmt.Errorf("%s has no server %s", file, name)
		}
		var steps []step
		for _, field := range []string{"disabled", "enabled"} {
			if _, there := fields[field]; there {
				steps = append(steps, step{Op: "remove", Path: "/mcpServers/" + name + "/" + field})
			}
		}
		if disabled {
			steps = append(steps, step{"add", "/mcpServers/" + name + "/disabled", true})
		}
		return steps, nil
	})
}

// step is a step of a JSON patch.
type step struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// edit changes a file, whole or not at all.
func edit(file string, change func(entries map[string]json.RawMessage) ([]step, error)) error {
	data, err := disk.Beginning(file, maxFile+1)
	mode := fs.FileMode(0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = []byte("{\n}\n")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return fmt.Errorf("%s: %w", file, disk.Reason(err))
		}
	case err != nil:
		return fmt.Errorf("%s: %w", file, disk.Reason(err))
	case len(data) > maxFile:
		return fmt.Errorf("%s is too long to be changed", file)
	default:
		if info, err := os.Stat(file); err == nil {
			mode = info.Mode().Perm()
		}
	}
	entries, _, err := decode(data)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	steps, err := change(entries)
	if err != nil || len(steps) == 0 {
		return err
	}
	if data, err = patched(data, steps); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := disk.Replace(file, data, mode); err != nil {
		return fmt.Errorf("%s: %w", file, disk.Reason(err))
	}
	return nil
}

func patched(data []byte, steps []step) ([]byte, error) {
	value, err := hujson.Parse(data)
	if err != nil {
		return nil, err
	}
	patch, err := rawjson.Marshal(steps)
	if err != nil {
		return nil, err
	}
	if err := value.Patch(patch); err != nil {
		return nil, err
	}
	value.Format()
	return value.Pack(), nil
}
