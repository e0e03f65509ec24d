//! Whole lines of a file, in blocks.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes read at a time: few enough that they are still in the processor's cache when they are looked at.
const BLOCK: usize = 1 << 18;
/// Bytes of one line; a longer one is damage.
const LONGEST: usize = 1 << 28;
/// Bytes before a place that are remembered, to know the file again.
const TAIL: u64 = 256;

/// A file that is read from some place on.
pub struct Log<'a> {
    file: File,
    data: &'a mut Vec<u8>,
    /// Of data[0] in the file.
    offset: u64,
    kept: usize,
    end: usize,
}

impl<'a> Log<'a> {
    /// data: a buffer, to be used again for the next file.
    pub fn open(path: &Path, offset: u64, data: &'a mut Vec<u8>) -> io::Result<Self> {
        let mut file = File::open(path)?;
        if offset > 0 {
            file.seek(SeekFrom::Start(offset))?;
        }
        data.resize(BLOCK, 0);
        data.shrink_to_fit();
        Ok(Self { file, data, offset, kept: 0, end: 0 })
    }

    /// The next lines and where they are in the file; a last one without its end is left out. None: no more.
    pub fn block(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        self.data.copy_within(self.end..self.end + self.kept, 0);
        self.offset += self.end as u64;
        self.end = 0;
        loop {
            if self.kept == self.data.len() {
                if self.kept >= LONGEST {
                    self.kept = 0;
                    self.offset = self.past_line()?;
                } else {
                    self.data.resize(self.kept * 2, 0);
                }
            }
            let count = match self.file.read(&mut self.data[self.kept..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                count => count?,
            };
            if count == 0 {
                return Ok(None);
            }
            let filled = self.kept + count;
            if let Some(place) = memchr::memrchr(b'\n', &self.data[self.kept..filled]) {
                self.end = self.kept + place + 1;
                self.kept = filled - self.end;
                return Ok(Some((self.offset, &self.data[..self.end])));
            }
            self.kept = filled;
        }
    }

    /// A digest of what stands before a place; empty when it cannot be read. Reading goes on where it was.
    pub fn tail(&mut self, position: u64) -> Vec<u8> {
        let found = self.file.stream_position().and_then(|here| {
            let bytes = self.before(position);
            self.file.seek(SeekFrom::Start(here)).and(bytes)
        });
        match found {
            Ok(bytes) if position > 0 => blake2b_simd::Params::new().hash_length(8).hash(&bytes).as_bytes().to_vec(),
            _ => Vec::new(),
        }
    }

    fn before(&mut self, position: u64) -> io::Result<Vec<u8>> {
        let length = position.min(TAIL);
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(position - length))?;
        Read::by_ref(&mut self.file).take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Where the next line begins, or where the file ends.
    fn past_line(&mut self) -> io::Result<u64> {
        loop {
            let count = self.file.read(self.data)?;
            let here = self.file.stream_position()?;
            if count == 0 {
                return Ok(here);
            }
            if let Some(place) = memchr::memchr(b'\n', &self.data[..count]) {
                let next = here - (count - place - 1) as u64;
                return self.file.seek(SeekFrom::Start(next));
            }
        }
    }
}

/// Ask the system to read it into its cache; does not wait for it.
#[cfg(target_os = "linux")]
pub fn fetch(path: &Path, offset: u64) {
    use std::os::fd::AsRawFd;
    if let (Ok(file), Ok(offset)) = (File::open(path), offset.try_into()) {
        // SAFETY: the descriptor is open until the end of this block, and nothing but numbers is handed over.
        unsafe { libc::posix_fadvise(file.as_raw_fd(), offset, 0, libc::POSIX_FADV_WILLNEED) };
    }
}

#[cfg(not(target_os = "linux"))]
pub fn fetch(_: &Path, _: u64) {}

/// This thread gives way to others, by so much.
#[cfg(target_os = "linux")]
pub fn give_way(nice: i32) {
    // SAFETY: nothing but numbers is handed over. On Linux 0 is the calling thread, not its process.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) };
}

#[cfg(not(target_os = "linux"))]
pub fn give_way(_: i32) {}
