//! Files and folders for the user alone: their access lists name the user and the system, and inherit nothing.

use std::fs::{self, File};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::path::Path;
use std::ptr::null_mut;

use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, GetSecurityInfo,
    SDDL_REVISION_1, SE_FILE_OBJECT,
};
use windows_sys::Win32::Security::{
    DACL_SECURITY_INFORMATION, EqualSid, GetTokenInformation, IsWellKnownSid, OWNER_SECURITY_INFORMATION,
    PROTECTED_DACL_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID, SECURITY_ATTRIBUTES,
    SetKernelObjectSecurity, TOKEN_QUERY, TOKEN_USER, TokenUser, WinBuiltinAdministratorsSid,
};
use windows_sys::Win32::Storage::FileSystem::{
    CREATE_ALWAYS, CREATE_NEW, CreateDirectoryW, CreateFileW, FILE_ATTRIBUTE_NORMAL,
    FILE_CREATION_DISPOSITION, FILE_FLAG_OPEN_REPARSE_POINT, FILE_GENERIC_WRITE, FILE_SHARE_DELETE,
    FILE_SHARE_READ, FILE_SHARE_WRITE, OPEN_ALWAYS, READ_CONTROL, WRITE_DAC,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

use super::{check, to_wide};

/// Makes a folder that only the user can look into. One that is there already is an error.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    let (descriptor, path) = (Descriptor::for_user(true)?, to_wide(path.as_os_str())?);
    let attributes = descriptor.attributes();
    // SAFETY: the path ends with a zero, and the attributes point to a descriptor that outlives the call.
    check(unsafe { CreateDirectoryW(path.as_ptr(), &raw const attributes) })
}

/// The same with the folders above it; one that is there already stays as it is.
pub(crate) fn create_private_folders(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        create_private_folders(above)?;
    }
    match create_private_folder(path) {
        Err(_) if path.is_dir() => Ok(()),
        made => made,
    }
}

/// Makes a file that is the user's alone from its first moment. One that is there already is an error.
pub fn create_private_file(path: &Path) -> io::Result<File> {
    create(path, CREATE_NEW)
}

/// Opens a file for writing, made for the user alone where there is none.
pub(crate) fn open_private_file(path: &Path, truncate: bool) -> io::Result<File> {
    create(path, if truncate { CREATE_ALWAYS } else { OPEN_ALWAYS })
}

/// Makes a file at a path the user's alone, whoever could read it before.
pub(crate) fn set_private(path: &Path) -> io::Result<()> {
    let file = fs::OpenOptions::new().access_mode(READ_CONTROL | WRITE_DAC).open(path)?;
    restrict_to_user(&file).map(drop)
}

/// Makes an open file the user's alone. Whether others could read it until now is not asked: it is set in any case.
pub fn restrict_to_user(file: &File) -> io::Result<bool> {
    let descriptor = Descriptor::for_user(false)?;
    let what = DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION;
    // SAFETY: the handle is open as long as the file is borrowed, and the descriptor outlives the call.
    check(unsafe { SetKernelObjectSecurity(file.as_raw_handle(), what, descriptor.0) }).map(|()| false)
}

/// Whether the user who runs this, or the administrators as a group, own a file.
pub fn is_owned_by_user(file: &File) -> io::Result<bool> {
    let (mut owner, mut descriptor): (PSID, PSECURITY_DESCRIPTOR) = (null_mut(), null_mut());
    // SAFETY: the handle is open as long as the file is borrowed; the descriptor, which the owner points into, is freed below.
    let failed = unsafe {
        GetSecurityInfo(
            file.as_raw_handle(),
            SE_FILE_OBJECT,
            OWNER_SECURITY_INFORMATION,
            &raw mut owner,
            null_mut(),
            null_mut(),
            null_mut(),
            &raw mut descriptor,
        )
    };
    if failed != 0 {
        return Err(io::Error::from_raw_os_error(failed.cast_signed()));
    }
    let _descriptor = Descriptor(descriptor);
    let user = TokenOwner::read()?;
    // SAFETY: both are valid as long as `_descriptor` and `user` live.
    Ok(unsafe { EqualSid(owner, user.sid()) != 0 || IsWellKnownSid(owner, WinBuiltinAdministratorsSid) != 0 })
}

fn create(path: &Path, how: FILE_CREATION_DISPOSITION) -> io::Result<File> {
    let (descriptor, path) = (Descriptor::for_user(false)?, to_wide(path.as_os_str())?);
    let attributes = descriptor.attributes();
    // SAFETY: the path ends with a zero, and the attributes point to a descriptor that outlives the call.
    let handle = unsafe {
        CreateFileW(
            path.as_ptr(),
            FILE_GENERIC_WRITE,
            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
            &raw const attributes,
            how,
            FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT,
            null_mut(),
        )
    };
    if handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call gave it to us, and nobody else closes it.
    Ok(File::from(unsafe { OwnedHandle::from_raw_handle(handle) }))
}

/// A security descriptor that the system allocated.
struct Descriptor(PSECURITY_DESCRIPTOR);

impl Descriptor {
    /// All rights for the user and the system, none for anybody else. What is made in such a folder inherits them.
    fn for_user(is_folder: bool) -> io::Result<Self> {
        let (user, inherit) = (TokenOwner::read()?.to_text()?, if is_folder { "OICI" } else { "" });
        let text = format!("D:P(A;{inherit};FA;;;SY)(A;{inherit};FA;;;{user})");
        let (text, mut made) = (to_wide(text.as_ref())?, null_mut());
        // SAFETY: the text ends with a zero; what comes back is freed when this is dropped.
        check(unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &raw mut made,
                null_mut(),
            )
        })?;
        Ok(Self(made))
    }

    fn attributes(&self) -> SECURITY_ATTRIBUTES {
        SECURITY_ATTRIBUTES {
            nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
            lpSecurityDescriptor: self.0,
            bInheritHandle: 0,
        }
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: the system allocated it for us, and nobody else frees it.
        unsafe { LocalFree(self.0) };
    }
}

/// The user that this process runs as. The words are aligned as the system's structure wants them.
struct TokenOwner(Vec<u64>);

impl TokenOwner {
    fn read() -> io::Result<Self> {
        let mut token: HANDLE = null_mut();
        // SAFETY: the first handle stands for this process and needs no closing; the token is owned below.
        check(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) })?;
        // SAFETY: the call gave it to us, and nobody else closes it.
        let token = unsafe { OwnedHandle::from_raw_handle(token) };
        // An identifier of the longest kind takes 68 bytes.
        let (mut words, mut used) = (vec![0_u64; 32], 0);
        // SAFETY: the buffer is as long as is said.
        check(unsafe {
            GetTokenInformation(
                token.as_raw_handle(),
                TokenUser,
                words.as_mut_ptr().cast(),
                (words.len() * size_of::<u64>()) as u32,
                &raw mut used,
            )
        })?;
        Ok(Self(words))
    }

    /// It points into this.
    fn sid(&self) -> PSID {
        // SAFETY: the system has filled the buffer with such a structure.
        unsafe { (*self.0.as_ptr().cast::<TOKEN_USER>()).User.Sid }
    }

    fn to_text(&self) -> io::Result<String> {
        let mut text = null_mut();
        // SAFETY: the identifier is valid as long as this lives; the text is freed below.
        check(unsafe { ConvertSidToStringSidW(self.sid(), &raw mut text) })?;
        // SAFETY: the text ends with a zero.
        let length = (0..).take_while(|at| unsafe { *text.add(*at) } != 0).count();
        // SAFETY: that many letters stand before the zero.
        let letters = unsafe { std::slice::from_raw_parts(text, length) };
        let read = String::from_utf16_lossy(letters);
        // SAFETY: the system allocated it for us, and nobody else frees it.
        unsafe { LocalFree(text.cast()) };
        Ok(read)
    }
}
