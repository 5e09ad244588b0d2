package servers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/suggest"
	"agent/internal/extend/setup/trustedfile"

	"github.com/tailscale/hujson"
)

// Locations holds the sources of servers.
type Locations struct {
	trustedfile.Locations
	// Given lists the values of --mcp-config. Each is a file or JSON.
	Given []string
	// Dir is the folder to which the files in Given are relative.
	Dir string
	// Editor is the JSON of the servers that an editor provides, empty if there are none.
	Editor string
	// GivenOnly omits all servers except those in Given and Editor.
	GivenOnly bool
}

// UserFile returns the file of the user's own servers.
func UserFile(config string) string { return filepath.Join(config, "mcp.json") }

// projectFile is the name of the file of servers in a project's folder.
const projectFile = ".mcp.json"

// ProjectFile returns the path of the file of servers in a project's folder.
func ProjectFile(folder string) string { return filepath.Join(folder, projectFile) }

// Find reads the servers of a workspace and its user. It returns an error only for Given, because
// parts of the flag must not be ignored.
func Find(w Locations) (Listing, error) {
	f := Listing{Invalid: map[string]string{}}
	for _, given := range w.Given {
		if err := f.readGiven(given, w); err != nil {
			return Listing{}, fmt.Errorf("--mcp-config: %w", err)
		}
	}
	if w.Editor != "" {
		f.read("", []byte(w.Editor), OriginEditor, "")
	}
	if w.GivenOnly {
		return f, nil
	}
	if w.Config != "" {
		f.file(trustedfile.ReadScope{Home: w.Home}, UserFile(w.Config), OriginUser, "")
	}
	if w.Workspace != "" {
		f.project(w)
	}
	for _, plugin := range w.Plugins {
		for _, file := range plugin.Servers {
			f.file(plugin.ReadScope(w.Home), file, OriginPlugin, "")
		}
	}
	return f, nil
}

// readGiven reads a value of --mcp-config. Every entry must be valid.
func (f *Listing) readGiven(value string, w Locations) error {
	file, data := "", []byte(value)
	if !strings.HasPrefix(strings.TrimSpace(value), "{") {
		var err error
		file = fsutil.ResolveIn(w.Dir, value)
		if data, err = fsutil.ReadBeginning(file, trustedfile.MaxSettings); err != nil {
			return fmt.Errorf("%s: %w", value, fsutil.Reason(err))
		}
	}
	before := len(f.Problems)
	f.read(file, data, OriginFlag, "")
	if len(f.Problems) > before {
		return errors.New(f.Problems[before])
	}
	return nil
}

// project reads the servers of the workspace, and then of the root of its repository.
func (f *Listing) project(w Locations) {
	from := trustedfile.ReadScope{Root: trustedfile.FoldersAbove(w.Home, w.Workspace)[0], Home: w.Home}
	for _, folder := range w.ProjectFolders() {
		f.file(from, ProjectFile(folder), OriginProject, folder)
	}
}

// file reads the servers of a file, if it exists.
func (f *Listing) file(from trustedfile.ReadScope, file string, origin Origin, folder string) {
	data, err := from.ReadSettings(file, trustedfile.MaxSettings)
	switch {
	case err != nil:
		f.Problems = append(f.Problems, "can't read the servers of "+err.Error())
	case data != nil:
		f.read(file, data, origin, folder)
	}
}

// read adds the servers of a JSON text.
func (f *Listing) read(file string, data []byte, origin Origin, folder string) {
	entries, order, err := decode(data)
	place := (&Server{File: file, Origin: origin}).Location()
	if err != nil {
		f.Problems = append(f.Problems, fmt.Sprintf("can't use the servers of %s: %v", place, err))
		return
	}
	for _, name := range order {
		if why := CheckName(name); why != "" {
			f.Problems = append(f.Problems, fmt.Sprintf("server %q of %s is not used: %s", humanize.Line(name, 60), place, why))
			continue
		}
		s, unknown, err := parse(name, entries[name])
		if err != nil {
			f.Problems = append(f.Problems, fmt.Sprintf("server %s of %s is not used: %v", name, place, err))
			f.Invalid[name] = err.Error()
			continue
		}
		s.Origin, s.File, s.Folder = origin, file, folder
		for _, field := range unknown {
			f.Notes = append(f.Notes, fmt.Sprintf("server %s of %s: unknown field %s%s", name, place, humanize.Line(field, 40), suggest.Question(field, fieldNames())))
		}
		if earlier := f.ByName(name); earlier != nil {
			f.Notes = append(f.Notes, fmt.Sprintf("server %s of %s is not used: %s already has a server of that name", name, place, earlier.Location()))
			continue
		}
		if s.NeedsConsent() { // only the user's own configuration may set these
			if len(s.Allow) > 0 || s.TrustHints {
				f.Notes = append(f.Notes, fmt.Sprintf("server %s of %s: the fields allow and trustHints are ignored. Set them in your own mcp.json", s.Name, place))
			}
			s.Allow, s.TrustHints = nil, false
		}
		f.Servers = append(f.Servers, s)
	}
}

// Location describes where the server is configured.
func (s *Server) Location() string {
	switch {
	case s.Origin == OriginEditor:
		return "the editor"
	case s.File == "":
		return "--mcp-config"
	}
	return s.File
}

// decode returns the entries of a text, and their names in the order of the text.
func decode(data []byte) (entries map[string]json.RawMessage, order []string, err error) {
	plain, err := hujson.Standardize(bytes.Clone(data)) // Standardize writes over its argument
	if err != nil {
		return nil, nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(plain, &file); err != nil {
		return nil, nil, errors.New("it must contain an object with mcpServers")
	}
	raw, ok := file["mcpServers"]
	switch {
	case !ok && file["servers"] != nil:
		return nil, nil, errors.New(`"servers" is VS Code's name; here it is "mcpServers" (agent import converts such files)`)
	case !ok && len(file) == 0:
		return nil, nil, nil
	case !ok:
		return nil, nil, fmt.Errorf("it has no mcpServers (it has: %s)", strings.Join(slices.Sorted(maps.Keys(file)), ", "))
	}
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, nil, errors.New("mcpServers must be an object")
	}
	return entries, namesIn(raw, entries), nil
}

// namesIn returns the distinct names of the members of an object in their order.
func namesIn(object json.RawMessage, entries map[string]json.RawMessage) []string {
	value, err := hujson.Parse(object)
	members, ok := value.Value.(*hujson.Object)
	if err != nil || !ok {
		return slices.Sorted(maps.Keys(entries))
	}
	var order []string
	for _, m := range members.Members {
		if name, ok := m.Name.Value.(hujson.Literal); ok && !slices.Contains(order, name.String()) {
			order = append(order, name.String())
		}
	}
	return order
}
