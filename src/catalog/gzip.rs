//! Compression of answers, in one place.
//!
//! A list is compressed page by page, so that a change costs the pages that it touched. A page becomes
//! raw deflate that ends in a full flush: on a byte's edge, and what follows refers to nothing before
//! it. Such pieces stand one after the other in **one** gzip member, with stored blocks where something
//! is too short to be compressed. (Not several members: Java's `GZIPInputStream` may stop after the
//! first.) The check sum of the whole is computed from those of the pieces.

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress};

/// The knee of zlib-rs on registry documents: its higher levels take twice the time for no less.
const LEVEL: u32 = 4;
/// No name, no time, unknown system; the same as Java's, but for the system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// A stored block holds no more.
const MOST_STORED: usize = 0xffff;

/// A piece that can stand anywhere in a member.
#[derive(Debug)]
pub(super) struct Packed {
    deflated: Vec<u8>,
    /// Of the bytes before they were compressed.
    crc: Crc,
    /// The number of these bytes.
    length: usize,
}

impl Packed {
    /// Compresses a piece.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut compress = Compress::new(Compression::new(LEVEL), false);
        let mut deflated = Vec::with_capacity(bytes.len() / 12 + 64);
        loop {
            let done = usize::try_from(compress.total_in()).unwrap_or(bytes.len());
            let rest = bytes.get(done..).unwrap_or_default();
            // Compressing into memory does not fail; what is left over is seen by the room that is.
            let _ = compress.compress_vec(rest, &mut deflated, FlushCompress::Full);
            let all_in = usize::try_from(compress.total_in()).is_ok_and(|taken| taken >= bytes.len());
            if all_in && deflated.len() < deflated.capacity() {
                break;
            }
            deflated.reserve(deflated.capacity().max(1024));
        }
        deflated.shrink_to_fit();
        let mut crc = Crc::new();
        crc.update(bytes);
        Self { deflated, crc, length: bytes.len() }
    }

    /// The bytes before they were compressed.
    pub(super) fn unpack(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.length);
        // Its own work does not fail, and there is room for all of it.
        let _ = Decompress::new(false).decompress_vec(&self.deflated, &mut bytes, FlushDecompress::None);
        bytes
    }

    /// The number of these bytes.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The number of bytes that it takes.
    pub(super) fn packed_length(&self) -> usize {
        self.deflated.len()
    }
}

/// A gzip member that is put together.
pub(super) struct Member {
    out: Vec<u8>,
    crc: Crc,
}

impl Member {
    /// With nothing in it yet.
    pub(super) fn new() -> Self {
        Self { out: HEADER.to_vec(), crc: Crc::new() }
    }

    /// Adds a few bytes as they are.
    pub(super) fn store(&mut self, bytes: &[u8]) {
        for block in bytes.chunks(MOST_STORED) {
            self.block(0, block);
        }
        self.crc.update(bytes);
    }

    /// Adds a compressed piece. It is copied: one long buffer is sent faster than many short ones, and
    /// this is done once a version.
    pub(super) fn add(&mut self, piece: &Packed) {
        self.out.extend_from_slice(&piece.deflated);
        self.crc.combine(&piece.crc);
    }

    /// Ends it with these bytes.
    pub(super) fn finish(mut self, last: &[u8]) -> Vec<u8> {
        self.store(last);
        self.block(1, &[]);
        self.out.extend_from_slice(&self.crc.sum().to_le_bytes());
        self.out.extend_from_slice(&self.crc.amount().to_le_bytes());
        self.out
    }

    /// A stored block; what precedes it ends on a byte's edge.
    fn block(&mut self, last: u8, bytes: &[u8]) {
        let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
        self.out.push(last);
        self.out.extend_from_slice(&length.to_le_bytes());
        self.out.extend_from_slice(&(!length).to_le_bytes());
        self.out.extend_from_slice(bytes);
    }
}

/// One gzip member with all the bytes.
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut member = Member::new();
    member.add(&Packed::new(bytes));
    member.finish(&[])
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use proptest::prelude::*;

    use super::*;

    fn unpack(packed: &[u8]) -> Result<Vec<u8>, std::io::Error> {
        let mut bytes = Vec::new();
        // One member: what follows it would be left over.
        let mut decoder = GzDecoder::new(packed);
        decoder.read_to_end(&mut bytes)?;
        assert_eq!(decoder.into_inner().len(), 0, "nothing follows the member");
        Ok(bytes)
    }

    #[derive(Clone, Debug)]
    enum Piece {
        Stored(Vec<u8>),
        Packed(Vec<u8>),
    }

    fn piece() -> impl Strategy<Value = Piece> {
        let bytes = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..300),
            // Longer than a stored block, and hard to compress.
            any::<u64>().prop_map(|seed| {
                let mut state = seed | 1;
                (0..70_000)
                    .map(|_| {
                        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        state.to_le_bytes()[7]
                    })
                    .collect()
            }),
            (any::<u8>(), 0..200_000_usize).prop_map(|(byte, length)| vec![byte; length]),
        ];
        (any::<bool>(), bytes)
            .prop_map(|(packed, bytes)| if packed { Piece::Packed(bytes) } else { Piece::Stored(bytes) })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_piece_unpacks_to_what_it_was(piece in piece()) {
            let (Piece::Stored(bytes) | Piece::Packed(bytes)) = piece;
            let packed = Packed::new(&bytes);
            prop_assert!(packed.unpack() == bytes && packed.length() == bytes.len());
        }

        #[test]
        fn pieces_in_one_member_unpack_to_what_they_were(pieces in prop::collection::vec(piece(), 0..6)) {
            let (mut member, mut expected) = (Member::new(), Vec::new());
            for piece in &pieces {
                match piece {
                    Piece::Stored(bytes) => {
                        member.store(bytes);
                        expected.extend_from_slice(bytes);
                    }
                    Piece::Packed(bytes) => {
                        member.add(&Packed::new(bytes));
                        expected.extend_from_slice(bytes);
                    }
                }
            }
            expected.extend_from_slice(b"]}}");
            prop_assert!(unpack(&member.finish(b"]}}")).is_ok_and(|unpacked| unpacked == expected));
        }
    }

    #[test]
    fn one_member_with_everything() {
        for bytes in [&b""[..], b"x", &vec![b'a'; 100_000]] {
            assert!(unpack(&compress(bytes)).is_ok_and(|unpacked| unpacked == bytes));
        }
    }
}
