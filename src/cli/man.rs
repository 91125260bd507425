//! Manual pages, which packages carry: one for the program, one for each command.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// What the definition of the arguments does not tell.
const MORE: &str = include_str!("man.roff");

/// Writes the pages of a program into a folder; see [`super::manual`].
pub(super) fn write(program: clap::Command, folder: &Path) -> io::Result<u8> {
    if let Err(error) = pages(program, folder) {
        writeln!(io::stderr(), "eurekad: cannot write manual pages to {}: {error}", folder.display())?;
        return Ok(1);
    }
    Ok(0)
}

fn pages(program: clap::Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let main = folder.join(format!("{}.1", program.get_name()));
    clap_mangen::generate_to(program, folder)?;
    OpenOptions::new().append(true).open(main)?.write_all(MORE.as_bytes())
}
