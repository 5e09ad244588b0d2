package policy

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// System returns the file of this machine, in the folder that Windows names, not the environment.
func System() File {
	folder, err := windows.KnownFolderPath(windows.FOLDERID_ProgramData, 0)
	if err != nil {
		return File{Path: filepath.Join("ProgramData", "agent", "policy.json"), lost: err}
	}
	return File{Path: filepath.Join(folder, "agent", "policy.json"), owned: ofAdministrators}
}

// ofAdministrators returns why a file could be from somebody who administers nothing. Only
// administrators can give files to themselves as a group, or to the system.
func ofAdministrators(path string, _ fs.FileInfo) string {
	security, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return err.Error()
	}
	owner, _, err := security.Owner()
	if err != nil {
		return err.Error()
	}
	if !owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) && !owner.IsWellKnown(windows.WinLocalSystemSid) {
		return "it does not belong to the administrators"
	}
	return ""
}
