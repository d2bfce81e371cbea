//! A child with its children, and limits of a process, by job objects.

use std::io;
use std::mem::forget;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::process::Command;
use std::ptr::null;

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
    JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOB_OBJECT_LIMIT_PROCESS_MEMORY, JOB_OBJECT_LIMIT_PROCESS_TIME, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectExtendedLimitInformation, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

use super::check;
use crate::platform::ProcessLimits;

/// A child and every process that it starts. They end with this.
#[derive(Debug)]
pub(crate) struct ProcessTree(OwnedHandle);

/// Starts a program in a job of its own. What it starts within the first instant, before it is in the job, is not.
pub(crate) fn start_process_tree(command: Command) -> io::Result<(tokio::process::Child, ProcessTree)> {
    let job = create_job(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, None)?;
    let child = tokio::process::Command::from(command).kill_on_drop(true).spawn()?;
    let process = child.raw_handle().ok_or(io::ErrorKind::BrokenPipe)?;
    // On an error the child is killed when it is dropped.
    assign(&job, process)?;
    Ok((child, ProcessTree(job)))
}

impl ProcessTree {
    /// Ends all of them.
    pub(crate) fn kill(&self, _child: &tokio::process::Child) {
        // SAFETY: the handle is open as long as this lives. They may have ended already.
        let _ = unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
    }
}

/// Limits memory and computing time of this process, and forbids children. Files and sockets can't be forbidden this way.
pub(crate) fn limit_this_process(limits: ProcessLimits) -> bool {
    let flags = JOB_OBJECT_LIMIT_ACTIVE_PROCESS
        | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
        | JOB_OBJECT_LIMIT_PROCESS_MEMORY
        | JOB_OBJECT_LIMIT_PROCESS_TIME;
    let limited = create_job(flags, Some(limits)).and_then(|job| {
        // SAFETY: the handle stands for this process and needs no closing.
        assign(&job, unsafe { GetCurrentProcess() })?;
        // The limits last as long as the process, whoever has the job open.
        forget(job);
        Ok(())
    });
    limited.is_ok()
}

fn create_job(flags: JOB_OBJECT_LIMIT, limits: Option<ProcessLimits>) -> io::Result<OwnedHandle> {
    // SAFETY: neither attributes nor a name are given; what comes back is owned below.
    let job = unsafe { CreateJobObjectW(null(), null()) };
    if job.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call gave it to us, and nobody else closes it.
    let job = unsafe { OwnedHandle::from_raw_handle(job) };
    let mut set = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    set.BasicLimitInformation.LimitFlags = flags;
    set.BasicLimitInformation.ActiveProcessLimit = 1;
    if let Some(limits) = limits {
        // In tenths of a microsecond.
        set.BasicLimitInformation.PerProcessUserTimeLimit = (limits.seconds * 10_000_000).cast_signed();
        set.ProcessMemoryLimit = limits.memory as usize;
    }
    // SAFETY: the class belongs to the structure, whose size is given.
    check(unsafe {
        SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const set).cast(),
            size_of_val(&set) as u32,
        )
    })?;
    Ok(job)
}

fn assign(job: &OwnedHandle, process: HANDLE) -> io::Result<()> {
    // SAFETY: both handles are open during the call.
    check(unsafe { AssignProcessToJobObject(job.as_raw_handle(), process) })
}
