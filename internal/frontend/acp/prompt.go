package acp

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/atcmd"
	"agent/internal/base/rawjson"
	"agent/internal/history"
)

// messageOf joins the parts of a prompt into one message. Text counts as typed, and a link to a file of the
// workspace includes the file. Attachments are data: commands in them have no effect. Images are stored in
// the folder that temp returns.
func messageOf(blocks []contentBlock, root string, temp func() string) (atcmd.Message, error) {
	var m atcmd.Message
	for _, b := range blocks {
		switch b.Type {
		case "text":
			m = append(m, atcmd.Part{Text: b.Text})
		case "resource_link":
			m = append(m, atcmd.Part{Text: linkText(b.URI, root)})
		case "resource":
			if b.Resource == nil {
				return nil, errors.New("a block of type resource has no field resource")
			}
			if b.Resource.Blob != "" {
				return nil, fmt.Errorf("%s is not text; only text can be attached", b.Resource.URI)
			}
			m = append(m, atcmd.Part{Text: fmt.Sprintf("%s:\n%s", pathOf(b.Resource.URI), b.Resource.Text), Source: history.SourcePiped})
		case "image":
			part, err := imagePart(b, temp())
			if err != nil {
				return nil, err
			}
			m = append(m, part)
		default:
			return nil, fmt.Errorf("unsupported block type %q", b.Type)
		}
	}
	if len(m.Trim()) == 0 {
		return nil, errors.New("the prompt is empty")
	}
	return m, nil
}

// linkText returns a link in the form that a user would type: @path for a file of the workspace.
func linkText(uri, root string) string {
	path := pathOf(uri)
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) && filepath.IsAbs(path) {
		return " @" + strings.ReplaceAll(rel, " ", `\ `) + " "
	}
	return " " + path + " "
}

// pathOf returns the path of a file URI. It returns any other URI unchanged.
func pathOf(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" {
		return u.Path
	}
	return uri
}

// imagePart stores an image in a folder, because messages refer to images by file name.
func imagePart(b contentBlock, folder string) (atcmd.Part, error) {
	data, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil {
		return atcmd.Part{}, errors.New("an image is not valid base64")
	}
	f, err := os.CreateTemp(folder, "image-*."+strings.TrimPrefix(b.MimeType, "image/"))
	if err != nil {
		return atcmd.Part{}, err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return atcmd.Part{}, err
	}
	return atcmd.ImagePart(f.Name()), nil
}

// serversOf converts an editor's list of MCP servers to the format of a configuration file. It returns ""
// if there are none. The error names the invalid field and never its value, because values of variables and
// headers are often API keys.
func serversOf(listed []json.RawMessage) (string, error) {
	type pair struct{ Name, Value string }
	entries := map[string]map[string]any{}
	for i, raw := range listed {
		var server struct {
			Type, Name, Command, URL string
			Args                     []string
			Env, Headers             []pair
		}
		if json.Unmarshal(raw, &server) != nil || server.Name == "" || server.Command == "" && server.URL == "" {
			return "", fmt.Errorf("mcpServers[%d]: expected a name, and a command or a url", i)
		}
		texts := func(pairs []pair) map[string]string {
			all := map[string]string{}
			for _, p := range pairs {
				all[p.Name] = p.Value
			}
			return all
		}
		entry := map[string]any{"type": server.Type, "url": server.URL, "headers": texts(server.Headers)}
		if server.URL == "" {
			entry = map[string]any{"command": server.Command, "args": server.Args, "env": texts(server.Env)}
		}
		name := serverName(server.Name)
		if entries[name] != nil {
			return "", fmt.Errorf("mcpServers[%d]: the name %q is taken", i, server.Name)
		}
		entries[name] = entry
	}
	if len(entries) == 0 {
		return "", nil
	}
	text, err := rawjson.Marshal(map[string]any{"mcpServers": entries})
	return string(text), err
}

// serverName returns the name of an editor's server, with only the characters that names of tools may have.
func serverName(name string) string {
	const longest = 32
	name = strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
	for strings.Contains(name, "__") {
		name = strings.ReplaceAll(name, "__", "_")
	}
	return name[:min(len(name), longest)]
}
