package servers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"
	"agent/internal/extend/setup/jsonfile"
	"agent/internal/extend/setup/trustedfile"
)

// NewServer holds the fields of a server that a user adds.
type NewServer struct {
	Type    Transport         `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// Add adds a server to a file, and creates the file if it is missing. It returns an error if the
// name is taken. Comments and other entries stay unchanged.
func Add(file, name string, added NewServer) error {
	raw, err := rawjson.Marshal(added)
	if err != nil {
		return err
	}
	if err := Check(name, raw); err != nil {
		return err
	}
	return edit(file, func(has map[string]json.RawMessage) ([]jsonfile.Step, error) {
		if _, taken := has[name]; taken {
			return nil, fmt.Errorf("%s already has a server %s. To remove it, run: agent mcp remove %s", file, name, name)
		}
		return additions(has, map[string]json.RawMessage{name: raw}), nil
	})
}

// Remove removes a server from a file.
func Remove(file, name string) error {
	return edit(file, func(has map[string]json.RawMessage) ([]jsonfile.Step, error) {
		if _, there := has[name]; !there {
			return nil, fmt.Errorf("%s has no server %s", file, name)
		}
		return []jsonfile.Step{{Op: "remove", Path: "/mcpServers/" + name}}, nil
	})
}

// SetDisabled disables or enables a server in a file.
func SetDisabled(file, name string, disabled bool) error {
	return edit(file, func(has map[string]json.RawMessage) ([]jsonfile.Step, error) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(has[name], &fields) != nil || fields == nil {
			return nil, fmt.Errorf("%s has no server %s", file, name)
		}
		var steps []jsonfile.Step
		for _, field := range []string{"disabled", "enabled"} {
			if _, there := fields[field]; there {
				steps = append(steps, jsonfile.Step{Op: "remove", Path: "/mcpServers/" + name + "/" + field})
			}
		}
		if disabled {
			steps = append(steps, jsonfile.Step{Op: "add", Path: "/mcpServers/" + name + "/disabled", Value: true})
		}
		return steps, nil
	})
}

func edit(path string, change func(entries map[string]json.RawMessage) ([]jsonfile.Step, error)) error {
	file, err := target(path)
	if err != nil {
		return err
	}
	return editFile(file, change)
}

func editFile(file jsonfile.File, change func(entries map[string]json.RawMessage) ([]jsonfile.Step, error)) error {
	return jsonfile.Edit(file, func(data []byte) ([]jsonfile.Step, error) {
		entries, _, err := decode(data)
		if err != nil {
			return nil, err
		}
		return change(entries)
	})
}

// CheckFile returns the reason why a file of servers cannot be written, or nil.
func CheckFile(path string) error {
	file, err := target(path)
	if err != nil {
		return err
	}
	return file.Check()
}

// target returns the file to write. From a project's file, a link may lead only to a file with the
// same name. A link in a repository could otherwise lead to the user's own servers, which start
// without approval.
func target(path string) (jsonfile.File, error) {
	file := jsonfile.File{Path: path}
	if filepath.Base(path) != projectFile {
		return file, nil
	}
	file.Root = trustedfile.RepositoryRoot(filepath.Dir(path))
	if real := fsutil.ResolveLinks(path); filepath.Base(real) != projectFile {
		if err := file.Check(); err != nil {
			return file, err
		}
		return file, fmt.Errorf("%s is a link to %s, which has another name. Remove the link, or copy the file", path, real)
	}
	return file, nil
}

// Check returns the reason why a name and an entry are not a valid server, or nil.
func Check(name string, entry json.RawMessage) error {
	if why := CheckName(name); why != "" {
		return errors.New(why)
	}
	_, _, err := parse(name, entry)
	return err
}

// Entries maps the names of a file's servers to their canonical JSON. It returns nil for a missing
// file.
func Entries(file string) (map[string]string, error) {
	data, err := fsutil.ReadBeginning(file, trustedfile.MaxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, fsutil.Reason(err))
	}
	raw, _, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	entries := map[string]string{}
	for name, entry := range raw {
		text, err := canonical(entry)
		if err != nil {
			return nil, fmt.Errorf("%s: server %s: %w", file, name, err)
		}
		entries[name] = string(text)
	}
	return entries, nil
}

// AddAll adds servers to a file, except servers whose names are taken. Only the owner can read the
// file afterwards, because entries may contain keys.
func AddAll(path string, added map[string]json.RawMessage) error {
	file, err := target(path)
	if err != nil {
		return err
	}
	file.Private = true
	return editFile(file, func(has map[string]json.RawMessage) ([]jsonfile.Step, error) { return additions(has, added), nil })
}

func additions(has, added map[string]json.RawMessage) []jsonfile.Step {
	var steps []jsonfile.Step
	if has == nil {
		steps = append(steps, jsonfile.Step{Op: "add", Path: "/mcpServers", Value: map[string]any{}})
	}
	for _, name := range slices.Sorted(maps.Keys(added)) {
		if _, taken := has[name]; !taken {
			steps = append(steps, jsonfile.Step{Op: "add", Path: "/mcpServers/" + name, Value: added[name]})
		}
	}
	return steps
}
