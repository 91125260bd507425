//! The commands of operators and their options.

#![expect(missing_docs, reason = "clap takes the docs of what is flattened for help")]

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What operators do.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum Operate {
    /// List instances, or look some up
    Ls {
        /// A text that stands anywhere: name, id, host, IP, port, status, zone, metadata
        text: Option<String>,
        #[command(flatten)]
        select: Select,
        #[command(flatten)]
        connect: Connect,
    },
    /// Show an application, or all fields of an instance
    Show {
        /// The application
        app: String,
        /// The instance
        instance: Option<String>,
        #[command(flatten)]
        connect: Connect,
    },
    /// Take instances out of traffic
    Drain {
        #[command(flatten)]
        select: Select,
        /// The status that they get, if not `OUT_OF_SERVICE`
        #[arg(long, value_name = "STATUS")]
        set_status: Option<String>,
        /// Who is responsible; whoever logs in is named, too
        #[arg(long)]
        owner: Option<String>,
        /// End by itself after this time (30m)
        #[arg(long = "for", value_name = "TIME")]
        span: Option<String>,
        /// End by itself at this time (2026-11-30T18:00:00Z)
        #[arg(long, value_name = "TIME", conflicts_with = "span")]
        until: Option<String>,
        #[command(flatten)]
        change: Change,
        #[command(flatten)]
        connect: Connect,
    },
    /// Put instances back into traffic
    Resume {
        #[command(flatten)]
        select: Select,
        /// Undo this drain instead
        #[arg(long, value_name = "ID")]
        operation: Option<String>,
        #[command(flatten)]
        change: Change,
        #[command(flatten)]
        connect: Connect,
    },
    /// End leases; who lives registers again
    Evict {
        #[command(flatten)]
        select: Select,
        #[command(flatten)]
        change: Change,
        #[command(flatten)]
        connect: Connect,
    },
    /// End the leases of all that are silent now, preservation or not
    Accept {
        #[command(flatten)]
        change: Change,
        #[command(flatten)]
        connect: Connect,
    },
    /// List statuses that were set from outside, or take them back
    Overrides {
        /// Take them back
        #[arg(long)]
        clear: bool,
        /// Those of all instances
        #[arg(long, requires = "clear")]
        all: bool,
        #[command(flatten)]
        select: Select,
        #[command(flatten)]
        change: Change,
        #[command(flatten)]
        connect: Connect,
    },
    /// Tell why an instance is still there, and until when
    Explain {
        /// The application
        app: String,
        /// The instance
        instance: String,
        #[command(flatten)]
        connect: Connect,
    },
    /// Write a line for each change as it happens
    Watch {
        /// Of these applications
        #[arg(long, value_name = "APP", value_delimiter = ',')]
        app: Vec<String>,
        /// Of these kinds: registered, status, override, expired and so on
        #[arg(long, value_name = "KIND", value_delimiter = ',')]
        kind: Vec<String>,
        /// What came after this event
        #[arg(long, value_name = "ID")]
        since: Option<String>,
        /// Begin with all instances
        #[arg(long)]
        snapshot: bool,
        #[command(flatten)]
        connect: Connect,
    },
}

/// Which instances are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Select {
    /// Of these applications
    #[arg(long, value_name = "APP", value_delimiter = ',')]
    pub app: Vec<String>,
    /// These instances
    #[arg(long, value_name = "ID")]
    pub instance: Vec<String>,
    /// In these zones
    #[arg(long, value_name = "ZONE", value_delimiter = ',')]
    pub zone: Vec<String>,
    /// With this host name or IP address
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    pub host: Vec<String>,
    /// With this status
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    pub status: Vec<String>,
    /// With this entry in their metadata
    #[arg(long, value_name = "KEY=VALUE", value_parser = entry)]
    pub metadata: Vec<(String, String)>,
}

/// What all changes have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Change {
    /// Why
    #[arg(long)]
    pub reason: Option<String>,
    /// Only show what would change
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    pub yes: bool,
}

/// Which server, and as whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Connect {
    /// The server; by default `EUREKAD_SERVER`, or the one that these settings start
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// The user
    #[arg(long, requires = "password_file")]
    pub user: Option<String>,
    /// A file with the user's password
    #[arg(long, value_name = "FILE", requires = "user")]
    pub password_file: Option<PathBuf>,
    /// A file with a token
    #[arg(long, value_name = "FILE", conflicts_with = "user")]
    pub token_file: Option<PathBuf>,
    /// Write what the server answers
    #[arg(long)]
    pub json: bool,
}

impl Operate {
    pub(super) fn connect(&self) -> &Connect {
        match self {
            Self::Ls { connect, .. }
            | Self::Show { connect, .. }
            | Self::Drain { connect, .. }
            | Self::Resume { connect, .. }
            | Self::Evict { connect, .. }
            | Self::Accept { connect, .. }
            | Self::Overrides { connect, .. }
            | Self::Explain { connect, .. }
            | Self::Watch { connect, .. } => connect,
        }
    }

    /// Whether it changes something.
    pub(super) fn changes(&self) -> bool {
        matches!(
            self,
            Self::Drain { .. }
                | Self::Resume { .. }
                | Self::Evict { .. }
                | Self::Accept { .. }
                | Self::Overrides { clear: true, .. }
        )
    }
}

fn entry(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}
