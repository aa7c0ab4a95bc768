use wasmtime::component::Accessor;

use super::convert;
use super::owned::{Asking, Owned};
use crate::bindings::app::g1t::git::{read, types as wit, write};
use crate::manifest::Access;
use crate::runtime::{Guest, GuestState};

type Answer<T> = wasmtime::Result<Result<T, wit::Error>>;

async fn owned<T: Send>(
    accessor: &Accessor<T, Guest>,
    repository: u64,
    needs: Access,
) -> Result<Owned, wit::Error> {
    accessor
        .with(|mut access| Asking::new(access.get(), needs))
        .owned(repository)
        .await
}

impl<T: Send> read::HostWithStore<T> for Guest {
    async fn resolve(
        accessor: &Accessor<T, Self>,
        repository: u64,
        name: String,
    ) -> Answer<Option<String>> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Read).await?;
            let found = owned
                .repos()
                .resolve(owned.id, &name)
                .await
                .map_err(convert::error)?;
            Ok(found.map(|id| id.to_string()))
        }
        .await)
    }

    async fn branches(
        accessor: &Accessor<T, Self>,
        repository: u64,
        after: Option<String>,
        limit: u32,
    ) -> Answer<Vec<wit::Branch>> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Read).await?;
            let all = owned
                .repos()
                .branches(owned.id, after.as_deref(), limit)
                .await
                .map_err(convert::error)?;
            Ok(all
                .into_iter()
                .map(|branch| wit::Branch {
                    name: branch.name,
                    head: branch.head.to_string(),
                })
                .collect())
        }
        .await)
    }

    async fn is_ancestor(
        accessor: &Accessor<T, Self>,
        repository: u64,
        ancestor: String,
        descendant: String,
    ) -> Answer<bool> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Read).await?;
            let (ancestor, descendant) = (convert::oid(&ancestor)?, convert::oid(&descendant)?);
            owned
                .repos()
                .is_ancestor(owned.id, ancestor, descendant)
                .await
                .map_err(convert::error)
        }
        .await)
    }

    async fn distance(
        accessor: &Accessor<T, Self>,
        repository: u64,
        from: String,
        to: String,
    ) -> Answer<wit::Divergence> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Read).await?;
            let (from, to) = (convert::oid(&from)?, convert::oid(&to)?);
            let distance = owned
                .repos()
                .distance(owned.id, from, to)
                .await
                .map_err(convert::error)?;
            Ok(wit::Divergence {
                ahead: distance.ahead,
                behind: distance.behind,
            })
        }
        .await)
    }

    async fn merge_base(
        accessor: &Accessor<T, Self>,
        repository: u64,
        a: String,
        b: String,
    ) -> Answer<Option<String>> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Read).await?;
            let (a, b) = (convert::oid(&a)?, convert::oid(&b)?);
            let base = owned
                .repos()
                .merge_base(owned.id, a, b)
                .await
                .map_err(convert::error)?;
            Ok(base.map(|id| id.to_string()))
        }
        .await)
    }

    async fn commits(
        accessor: &Accessor<T, Self>,
        repository: u64,
        from: String,
        to: String,
        limit: u32,
    ) -> Answer<wit::CommitList> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Read).await?;
            let (from, to) = (convert::oid(&from)?, convert::oid(&to)?);
            let list = owned
                .repos()
                .commits(owned.id, from, to, limit)
                .await
                .map_err(convert::error)?;
            Ok(convert::commits(list))
        }
        .await)
    }

    async fn log(
        accessor: &Accessor<T, Self>,
        repository: u64,
        head: String,
        skip: u32,
        limit: u32,
    ) -> Answer<wit::CommitList> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Read).await?;
            let head = convert::oid(&head)?;
            let list = owned
                .repos()
                .log(owned.id, head, skip, limit)
                .await
                .map_err(convert::error)?;
            Ok(convert::commits(list))
        }
        .await)
    }

    async fn changes(
        accessor: &Accessor<T, Self>,
        repository: u64,
        base: String,
        head: String,
        limit: u32,
    ) -> Answer<wit::FileList> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Read).await?;
            let (base, head) = (convert::oid(&base)?, convert::oid(&head)?);
            let list = owned
                .repos()
                .changes(owned.id, base, head, limit)
                .await
                .map_err(convert::error)?;
            Ok(convert::files(list))
        }
        .await)
    }

    async fn diff(
        accessor: &Accessor<T, Self>,
        repository: u64,
        base: String,
        head: String,
        page: wit::DiffPage,
    ) -> Answer<wit::DiffList> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Read).await?;
            let (base, head) = (convert::oid(&base)?, convert::oid(&head)?);
            let list = owned
                .repos()
                .diff(owned.id, base, head, convert::diff_page(page))
                .await
                .map_err(convert::error)?;
            Ok(convert::diff(list))
        }
        .await)
    }

    async fn merge_check(
        accessor: &Accessor<T, Self>,
        repository: u64,
        base: String,
        head: String,
    ) -> Answer<wit::Merged> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Read).await?;
            let (base, head) = (convert::oid(&base)?, convert::oid(&head)?);
            let merged = owned
                .repos()
                .merge_check(owned.id, base, head)
                .await
                .map_err(convert::error)?;
            Ok(convert::merged(merged))
        }
        .await)
    }

    async fn read_file(
        accessor: &Accessor<T, Self>,
        repository: u64,
        commit: String,
        path: String,
        max_bytes: u64,
    ) -> Answer<Option<Vec<u8>>> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Read).await?;
            let commit = convert::oid(&commit)?;
            owned
                .repos()
                .read_file(owned.id, commit, &path, max_bytes)
                .await
                .map_err(convert::error)
        }
        .await)
    }
}

impl<T: Send> write::HostWithStore<T> for Guest {
    async fn create_repository(
        accessor: &Accessor<T, Self>,
        repository: u64,
        default_branch: String,
    ) -> Answer<()> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Write).await?;
            owned
                .repos()
                .create(owned.id, &default_branch)
                .await
                .map_err(convert::error)
        }
        .await)
    }

    async fn build_queue_step(accessor: &Accessor<T, Self>, step: wit::Step) -> Answer<wit::Built> {
        Ok(async {
            let owned = owned(accessor, step.repository, Access::Write).await?;
            let step = convert::step(step)?;
            let built = owned
                .repos()
                .build_queue_step(owned.id, step)
                .await
                .map_err(convert::error)?;
            Ok(convert::built(built))
        }
        .await)
    }

    async fn land(
        accessor: &Accessor<T, Self>,
        repository: u64,
        branch: String,
        expected: String,
        commit: String,
    ) -> Answer<wit::Landed> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Write).await?;
            let (expected, commit) = (convert::oid(&expected)?, convert::oid(&commit)?);
            owned
                .land(branch, expected, commit)
                .await
                .map(convert::landed)
        }
        .await)
    }

    async fn remove_queue_branch(
        accessor: &Accessor<T, Self>,
        repository: u64,
        branch: String,
    ) -> Answer<()> {
        Ok(async {
            let owned = owned(accessor, repository, Access::Write).await?;
            owned
                .repos()
                .remove_queue_branch(owned.id, &branch)
                .await
                .map_err(convert::error)
        }
        .await)
    }
}

impl wit::Host for GuestState {}
impl read::Host for GuestState {}
impl write::Host for GuestState {}
