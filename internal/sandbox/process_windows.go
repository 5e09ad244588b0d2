package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// SetNewGroup sets a command, which has not been started, to run as the head of a new process group. The
// command gets a console without a window, so that it cannot write over the screen of this program.
// It starts suspended, until it is in its job.
func SetNewGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW | windows.CREATE_SUSPENDED}
}

// AskGroup sends Ctrl+Break to every process of a group. Only a process on the same console can
// send it, so this program starts another process of itself.
func AskGroup(group int) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, breakName, strconv.Itoa(group))
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS}
	return cmd.Run()
}

// KillGroup kills every process of a group.
func KillGroup(group int) { jobs.end(group) }

// jobs maps the head of each running command to its job object.
var jobs = jobTable{running: map[int]*job{}}

type jobTable struct {
	mu      sync.Mutex
	running map[int]*job
}

// job is a job object with a command and every process that it starts. The system ends them when
// the last handle is closed, so they end at the latest with this program.
type job struct{ handle windows.Handle }

func newJob() (*job, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return nil, errors.Join(err, windows.CloseHandle(handle))
	}
	return &job{handle}, nil
}

// startInJob starts a command that SetNewGroup has prepared, in a job.
func startInJob(cmd *exec.Cmd) (*job, error) {
	if cmd.SysProcAttr == nil || cmd.SysProcAttr.CreationFlags&windows.CREATE_SUSPENDED == 0 {
		SetNewGroup(cmd)
	}
	j, err := newJob()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, windows.CloseHandle(j.handle))
	}
	held := cmd.Process.WithHandle(func(process uintptr) {
		if err = windows.AssignProcessToJobObject(j.handle, windows.Handle(process)); err == nil {
			err = resume(windows.Handle(process))
		}
	})
	if err = errors.Join(held, err); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, errors.Join(fmt.Errorf("can't put the command into a Windows job object: %w", err), windows.CloseHandle(j.handle))
	}
	jobs.mu.Lock()
	defer jobs.mu.Unlock()
	jobs.running[cmd.Process.Pid] = j
	return j, nil
}

var resumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

func resume(process windows.Handle) error {
	if status, _, _ := resumeProcess.Call(uintptr(process)); status != 0 {
		return windows.NTStatus(status)
	}
	return nil
}

// alive returns the number of running processes of the job.
func (j *job) alive() uint32 {
	// counts is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
	var counts struct {
		times                           [4]int64
		faults, all, active, terminated uint32
	}
	err := windows.QueryInformationJobObject(j.handle, windows.JobObjectBasicAccountingInformation, uintptr(unsafe.Pointer(&counts)), uint32(unsafe.Sizeof(counts)), nil)
	if err != nil {
		return 0
	}
	return counts.active
}

// killed is the exit code of a killed process.
const killed = 137

func (t *jobTable) end(head int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if j := t.running[head]; j != nil {
		_ = windows.TerminateJobObject(j.handle, killed)
	}
}

// forget ends the remaining processes of the job of head, and reports whether there were any.
func (t *jobTable) forget(head int) (left bool) {
	t.mu.Lock()
	j := t.running[head]
	delete(t.running, head)
	t.mu.Unlock()
	if j == nil {
		return false
	}
	if left = j.alive() > 0; left {
		_ = windows.TerminateJobObject(j.handle, killed)
	}
	_ = windows.CloseHandle(j.handle)
	return left
}

// EndAll kills every process of this program's commands.
func EndAll() {
	jobs.mu.Lock()
	defer jobs.mu.Unlock()
	for _, j := range jobs.running {
		_ = windows.TerminateJobObject(j.handle, killed)
	}
}

// closeDescriptorsOnExec does nothing, because a command inherits only the standard handles.
func closeDescriptorsOnExec() {}

func moveOut(folder *os.File, name, to string) error {
	return os.Rename(filepath.Join(folder.Name(), name), filepath.Join(to, name))
}

// endings lists the file name extensions of programs, in search order.
var endings = []string{".exe", ".com", ".cmd", ".bat"}

// executable returns the path of a program, which may be named without its extension. It returns ""
// if there is none.
func executable(path string) string {
	files := []string{path}
	if !slices.Contains(endings, strings.ToLower(filepath.Ext(path))) {
		files = nil
		for _, ending := range endings {
			files = append(files, path+ending)
		}
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}
