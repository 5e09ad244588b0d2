package policy

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// System returns the policy file of this machine. Windows reports its folder; the environment has
// no influence.
func System() File {
	folder, err := windows.KnownFolderPath(windows.FOLDERID_ProgramData, 0)
	if err != nil {
		return File{Path: filepath.Join("ProgramData", "agent", "policy.json"), lost: err}
	}
	return File{Path: filepath.Join(folder, "agent", "policy.json"), owned: ofAdministrators}
}

// ofAdministrators returns the reason why a user who is not an administrator could have written a
// file. Only administrators can make their group or the system the owner of a file.
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
