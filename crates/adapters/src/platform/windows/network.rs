//! This machine's own addresses.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ptr::null;

use windows_sys::Win32::Foundation::{ERROR_BUFFER_OVERFLOW, ERROR_SUCCESS};
use windows_sys::Win32::NetworkManagement::IpHelper::{
    GAA_FLAG_SKIP_ANYCAST, GAA_FLAG_SKIP_DNS_SERVER, GAA_FLAG_SKIP_MULTICAST, GetAdaptersAddresses,
    IP_ADAPTER_ADDRESSES_LH,
};
use windows_sys::Win32::Networking::WinSock::{
    AF_INET, AF_INET6, AF_UNSPEC, SOCKADDR_IN, SOCKADDR_IN6, SOCKET_ADDRESS,
};

/// How many bytes the system recommends to begin with.
const FIRST_TRY: usize = 15 * 1024;
/// How often the list may have grown since its size was asked for.
const TRIES: usize = 5;

/// The addresses of this machine, loopback among them.
pub(crate) fn own_addresses() -> io::Result<Vec<IpAddr>> {
    let flags = GAA_FLAG_SKIP_ANYCAST | GAA_FLAG_SKIP_MULTICAST | GAA_FLAG_SKIP_DNS_SERVER;
    let mut bytes = FIRST_TRY as u32;
    for _ in 0..TRIES {
        // Words, so that it is aligned as the structures want it.
        let mut buffer = vec![0_u64; (bytes as usize).div_ceil(size_of::<u64>())];
        let first = buffer.as_mut_ptr().cast::<IP_ADAPTER_ADDRESSES_LH>();
        // SAFETY: the buffer has at least as many bytes as is said.
        match unsafe { GetAdaptersAddresses(AF_UNSPEC.into(), flags, null(), first, &raw mut bytes) } {
            // SAFETY: the system has filled the buffer with a list, which lives as long as it.
            ERROR_SUCCESS => return Ok(unsafe { read_list(first) }),
            ERROR_BUFFER_OVERFLOW => {}
            error => return Err(io::Error::from_raw_os_error(error.cast_signed())),
        }
    }
    Err(io::Error::other("the list of addresses keeps growing"))
}

/// # Safety
///
/// `adapter` must be the first of a list of the system's, or null.
unsafe fn read_list(mut adapter: *const IP_ADAPTER_ADDRESSES_LH) -> Vec<IpAddr> {
    let mut found = Vec::new();
    // SAFETY: every pointer in the list is null or to another element of it.
    while let Some(this) = unsafe { adapter.as_ref() } {
        let mut unicast = this.FirstUnicastAddress;
        // SAFETY: as above.
        while let Some(address) = unsafe { unicast.as_ref() } {
            // SAFETY: the address of an element is as long as its family says.
            found.extend(unsafe { read_address(&address.Address) });
            unicast = address.Next;
        }
        adapter = this.Next;
    }
    found
}

/// # Safety
///
/// The address must be one of the system's.
unsafe fn read_address(address: &SOCKET_ADDRESS) -> Option<IpAddr> {
    // SAFETY: the family stands first in every kind of address, and says which kind it is.
    unsafe {
        match address.lpSockaddr.as_ref()?.sa_family {
            AF_INET => {
                let v4 = &*address.lpSockaddr.cast::<SOCKADDR_IN>();
                Some(IpAddr::V4(Ipv4Addr::from(v4.sin_addr.S_un.S_addr.to_ne_bytes())))
            }
            AF_INET6 => {
                let v6 = &*address.lpSockaddr.cast::<SOCKADDR_IN6>();
                Some(IpAddr::V6(Ipv6Addr::from(v6.sin6_addr.u.Byte)).to_canonical())
            }
            _ => None,
        }
    }
}
