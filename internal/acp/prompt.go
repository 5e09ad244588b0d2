package acp

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/atcmd"
	"agent/internal/history"
)

// messageOf makes one message of the parts of a prompt. Text was typed; a link to a file
// of the workspace is an inclusion; what an editor attaches is data, in which nothing is
// a command.
func messageOf(blocks []contentBlock, root string) (atcmd.Message, error) {
	var m atcmd.Message
	for _, b := range blocks {
		switch b.Type {
		case "text":
			m = append(m, atcmd.Part{Text: b.Text})
		case "resource_link":
			m = append(m, atcmd.Part{Text: linkText(b.URI, root)})
		case "resource":
			if b.Resource == nil {
				return nil, errors.New("a block of type resource holds no resource")
			}
			if b.Resource.Blob != "" {
				return nil, fmt.Errorf("%s is no text; only text can be attached", b.Resource.URI)
			}
			m = append(m, atcmd.Part{Text: fmt.Sprintf("%s:\n%s", pathOf(b.Resource.URI), b.Resource.Text), Source: history.Piped})
		case "image":
			part, err := imagePart(b)
			if err != nil {
				return nil, err
			}
			m = append(m, part)
		default:
			return nil, fmt.Errorf("blocks of type %q are not taken", b.Type)
		}
	}
	if len(m.Trim()) == 0 {
		return nil, errors.New("the prompt is empty")
	}
	return m, nil
}

// linkText is a link as a person would type it: @path where it leads into the workspace.
func linkText(uri, root string) string {
	path := pathOf(uri)
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) && filepath.IsAbs(path) {
		return " @" + strings.ReplaceAll(rel, " ", `\ `) + " "
	}
	return " " + path + " "
}

// pathOf is the path of a file's URI, else the URI.
func pathOf(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" {
		return u.Path
	}
	return uri
}

// imagePart keeps an image in a file, as a message takes images by their names.
func imagePart(b contentBlock) (atcmd.Part, error) {
	data, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil {
		return atcmd.Part{}, errors.New("an image that is not in base64")
	}
	f, err := os.CreateTemp("", "agent-image-*."+strings.TrimPrefix(b.MimeType, "image/"))
	if err != nil {
		return atcmd.Part{}, err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return atcmd.Part{}, err
	}
	return atcmd.ImagePart(f.Name()), nil
}
