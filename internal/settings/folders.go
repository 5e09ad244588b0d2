package settings

import "path/filepath"

// Folders are where the program keeps its files. They need not exist.
type Folders struct {
	// Config holds profiles, config.json, prompt overrides and the prompt history;
	// Data the sessions; State the log.
	Config, Data, State string
}

// FindFolders resolves the folders by the XDG rules. The specification calls a
// relative path invalid; it is refused rather than ignored, so that nobody
// wonders where the profiles went.
func FindFolders(getenv func(string) string, home string) (Folders, error) {
	var f Folders
	for _, base := range []struct {
		folder             *string
		variable, fallback string
	}{
		{&f.Config, "XDG_CONFIG_HOME", ".config"},
		{&f.Data, "XDG_DATA_HOME", ".local/share"},
		{&f.State, "XDG_STATE_HOME", ".local/state"},
	} {
		parent := getenv(base.variable)
		switch {
		case parent == "" && !filepath.IsAbs(home):
			return Folders{}, &Error{Problem: "no home folder: set HOME or " + base.variable + " to an absolute path"}
		case parent == "":
			parent = filepath.Join(home, base.fallback)
		case !filepath.IsAbs(parent):
			return Folders{}, &Error{Problem: base.variable + " is relative (" + quote(parent) + "): make it an absolute path, or unset it for ~/" + base.fallback}
		}
		*base.folder = filepath.Join(parent, "agent")
	}
	return f, nil
}
