use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::mpsc;
use wasmtime::StoreContextMut;
use wasmtime::component::{
    Accessor, Destination, FutureReader, Resource, StreamProducer, StreamReader, StreamResult,
};

use super::Session;
use super::client::Scope;
use crate::bindings::app::spin::postgres::postgres as wit;
use crate::manifest::Access;
use crate::runtime::{Guest, GuestState};

/// What `connection-builder` holds until it builds: the name to open.
pub struct Builder {
    address: String,
}

/// The only database there is, by the only name it has.
const NAME: &str = "work";

/// What opening needs, taken out of the store so that waiting does not hold it.
struct Opening {
    pool: super::GuestPool,
    scope: Scope,
    access: Access,
}

impl GuestState {
    /// The one function every way of opening goes through.
    fn opening(&self, address: &str) -> Result<Opening, wit::Error> {
        let Some(access) = self.component.grants.database else {
            return Err(wit::Error::ConnectionFailed(
                "this component has no grant for a database".into(),
            ));
        };
        if address != NAME {
            return Err(wit::Error::ConnectionFailed(format!(
                "there is one database, by the name '{NAME}'"
            )));
        }
        let scope = Scope {
            workspace: self.call.workspace,
            actor: self.call.actor,
        };
        Ok(Opening {
            pool: self.services.guests.clone(),
            scope,
            access,
        })
    }

    fn session(&self, connection: &Resource<Session>) -> wasmtime::Result<Session> {
        Ok(self.table.get(connection)?.clone())
    }
}

impl Opening {
    async fn open(self) -> Result<Session, wit::Error> {
        self.pool.open(self.scope, self.access).await
    }
}

async fn open_concurrent<T: Send>(
    accessor: &Accessor<T, Guest>,
    address: &str,
) -> wasmtime::Result<Result<Resource<Session>, wit::Error>> {
    let session = match accessor.with(|mut access| access.get().opening(address)) {
        Ok(opening) => opening.open().await,
        Err(error) => Err(error),
    };
    match session {
        Ok(session) => Ok(Ok(
            accessor.with(|mut access| access.get().table.push(session))?
        )),
        Err(error) => Ok(Err(error)),
    }
}

impl<T: Send> wit::HostConnectionWithStore<T> for Guest {
    async fn open_async(
        accessor: &Accessor<T, Self>,
        address: String,
    ) -> wasmtime::Result<Result<Resource<Session>, wit::Error>> {
        open_concurrent(accessor, &address).await
    }

    async fn query_async(
        accessor: &Accessor<T, Self>,
        connection: Resource<Session>,
        statement: String,
        parameters: Vec<wit::ParameterValue>,
    ) -> wasmtime::Result<
        Result<
            (
                Vec<wit::Column>,
                StreamReader<wit::Row>,
                FutureReader<Result<(), wit::Error>>,
            ),
            wit::Error,
        >,
    > {
        let session = accessor.with(|mut access| access.get().session(&connection))?;
        let answer = match session.query(statement, parameters).await {
            Ok(answer) => answer,
            Err(error) => return Ok(Err(error)),
        };
        let done = answer.done;
        let (rows, outcome) = accessor.with(|mut access| {
            let rows = StreamReader::new(&mut access, Rows(answer.rows))?;
            let outcome = FutureReader::new(&mut access, async move {
                let gone = || wit::Error::Other("the query was given up".into());
                wasmtime::error::Ok(done.await.unwrap_or_else(|_| Err(gone())))
            })?;
            wasmtime::error::Ok((rows, outcome))
        })?;
        Ok(Ok((answer.columns, rows, outcome)))
    }

    async fn execute_async(
        accessor: &Accessor<T, Self>,
        connection: Resource<Session>,
        statement: String,
        parameters: Vec<wit::ParameterValue>,
    ) -> wasmtime::Result<Result<u64, wit::Error>> {
        let session = accessor.with(|mut access| access.get().session(&connection))?;
        Ok(session.execute(statement, parameters).await)
    }
}

impl wit::HostConnection for GuestState {
    async fn open(
        &mut self,
        address: String,
    ) -> wasmtime::Result<Result<Resource<Session>, wit::Error>> {
        let session = match self.opening(&address) {
            Ok(opening) => opening.open().await,
            Err(error) => Err(error),
        };
        match session {
            Ok(session) => Ok(Ok(self.table.push(session)?)),
            Err(error) => Ok(Err(error)),
        }
    }

    async fn query(
        &mut self,
        connection: Resource<Session>,
        statement: String,
        parameters: Vec<wit::ParameterValue>,
    ) -> wasmtime::Result<Result<wit::RowSet, wit::Error>> {
        let session = self.session(&connection)?;
        let mut answer = match session.query(statement, parameters).await {
            Ok(answer) => answer,
            Err(error) => return Ok(Err(error)),
        };
        let mut rows = Vec::new();
        while let Some(row) = answer.rows.recv().await {
            rows.push(row);
        }
        let gone = || wit::Error::Other("the query was given up".into());
        Ok(answer
            .done
            .await
            .unwrap_or_else(|_| Err(gone()))
            .map(|()| wit::RowSet {
                columns: answer.columns,
                rows,
            }))
    }

    async fn execute(
        &mut self,
        connection: Resource<Session>,
        statement: String,
        parameters: Vec<wit::ParameterValue>,
    ) -> wasmtime::Result<Result<u64, wit::Error>> {
        let session = self.session(&connection)?;
        Ok(session.execute(statement, parameters).await)
    }

    async fn drop(&mut self, connection: Resource<Session>) -> wasmtime::Result<()> {
        self.table.delete(connection)?;
        Ok(())
    }
}

impl<T: Send> wit::HostConnectionBuilderWithStore<T> for Guest {
    async fn build_async(
        accessor: &Accessor<T, Self>,
        builder: Resource<Builder>,
    ) -> wasmtime::Result<Result<Resource<Session>, wit::Error>> {
        let address = accessor.with(|mut access| {
            access
                .get()
                .table
                .get(&builder)
                .map(|builder| builder.address.clone())
        })?;
        open_concurrent(accessor, &address).await
    }
}

impl wit::HostConnectionBuilder for GuestState {
    async fn new(&mut self, address: String) -> wasmtime::Result<Resource<Builder>> {
        Ok(self.table.push(Builder { address })?)
    }

    async fn set_ca_root(
        &mut self,
        _: Resource<Builder>,
        _: String,
    ) -> wasmtime::Result<Result<(), wit::Error>> {
        // The operator says how the server is reached and verified; a guest has no part in it.
        Ok(Err(wit::Error::BadParameter(
            "the host decides how the database is verified".into(),
        )))
    }

    async fn build(
        &mut self,
        builder: Resource<Builder>,
    ) -> wasmtime::Result<Result<Resource<Session>, wit::Error>> {
        let address = self.table.get(&builder)?.address.clone();
        wit::HostConnection::open(self, address).await
    }

    async fn drop(&mut self, builder: Resource<Builder>) -> wasmtime::Result<()> {
        self.table.delete(builder)?;
        Ok(())
    }
}

impl wit::Host for GuestState {}

/// Rows on their way into the guest.
struct Rows(mpsc::Receiver<wit::Row>);

impl<D> StreamProducer<D> for Rows {
    type Item = wit::Row;
    type Buffer = Option<wit::Row>;

    fn poll_produce<'a>(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut store: StoreContextMut<'a, D>,
        mut destination: Destination<'a, Self::Item, Self::Buffer>,
        finish: bool,
    ) -> Poll<wasmtime::Result<StreamResult>> {
        if destination.remaining(&mut store) == Some(0) {
            return Poll::Ready(Ok(StreamResult::Completed));
        }
        match self.0.poll_recv(cx) {
            Poll::Ready(Some(row)) => {
                destination.set_buffer(Some(row));
                Poll::Ready(Ok(StreamResult::Completed))
            }
            Poll::Ready(None) => Poll::Ready(Ok(StreamResult::Dropped)),
            Poll::Pending if finish => Poll::Ready(Ok(StreamResult::Cancelled)),
            Poll::Pending => Poll::Pending,
        }
    }
}
