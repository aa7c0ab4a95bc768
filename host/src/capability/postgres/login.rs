use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection, Executor, PgPool, Row};

/// How guests log in: two roles of their own, which own nothing, and what the host shows to say whose request it is.
#[derive(Clone)]
pub struct GuestLogins {
    /// For components that may write.
    pub writer: PgConnectOptions,
    /// For components that may only read.
    pub reader: PgConnectOptions,
    pub(super) secret: Vec<u8>,
}

/// The two logins by which an operator lets guests in, when the host may not make them itself.
#[derive(Clone)]
pub struct GivenLogins {
    pub writer: PgConnectOptions,
    pub reader: PgConnectOptions,
}

/// Why guests cannot be let in.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    #[error("the database does not say how components log in")]
    Database(#[from] sqlx::Error),
    #[error(
        "DATABASE_URL's role may not make the logins for components: give it CREATEROLE (and from Postgres 16 on, g1t_guest \
         and g1t_reader WITH ADMIN OPTION), or make a member of g1t_guest and one of g1t_reader and name them by \
         G1T_GUEST_DATABASE_URL and G1T_READER_DATABASE_URL"
    )]
    NotMade(#[source] sqlx::Error),
    #[error(
        "components cannot log in as '{login}': let it in (pg_hba.conf), or name other logins by G1T_GUEST_DATABASE_URL and \
         G1T_READER_DATABASE_URL"
    )]
    Refused {
        login: String,
        #[source]
        source: sqlx::Error,
    },
    #[error("the login '{login}' is not for components: {why}")]
    Unfit { login: String, why: &'static str },
}

const ACCESS: &str = "SELECT secret, password, (SELECT oid::bigint FROM pg_database WHERE datname = current_database()) AS database
     FROM guest_access";

const FITNESS: &str = "
    SELECT rolsuper OR rolbypassrls OR rolcreaterole OR pg_has_role(session_user, c.relowner, 'MEMBER') AS powerful,
           pg_has_role(session_user, 'g1t_guest', 'MEMBER') AS writes,
           pg_has_role(session_user, $1, 'USAGE') AS fits
    FROM pg_roles, pg_class c WHERE rolname = session_user AND c.oid = 'guest_access'::regclass";

/// What a login is for: the group whose rights it has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Guest,
    Reader,
}

impl Group {
    fn name(self) -> &'static str {
        match self {
            Self::Guest => "g1t_guest",
            Self::Reader => "g1t_reader",
        }
    }
}

impl GuestLogins {
    /// Finds the two logins of a migrated database, making them when they are missing, and tries both.
    ///
    /// # Errors
    /// When a login cannot be made, cannot log in, or may more than a guest should.
    pub async fn prepare(
        pool: &PgPool,
        host: &PgConnectOptions,
        given: Option<GivenLogins>,
    ) -> Result<Self, LoginError> {
        let row = sqlx::query(ACCESS).fetch_one(pool).await?;
        let secret: Vec<u8> = row.try_get("secret")?;
        if let Some(GivenLogins { writer, reader }) = given {
            for (login, group) in [(&writer, Group::Guest), (&reader, Group::Reader)] {
                check(login, group).await?;
            }
            return Ok(Self {
                writer,
                reader,
                secret,
            });
        }
        let password: String = row.try_get("password")?;
        // Roles belong to the whole server, so their names say whose database they are for.
        let database: i64 = row.try_get("database")?;
        let own = |group: Group| {
            let name = format!("{}_{database}", group.name());
            host.clone().username(&name).password(&password)
        };
        let logins = Self {
            writer: own(Group::Guest),
            reader: own(Group::Reader),
            secret,
        };
        for (login, group) in [
            (&logins.writer, Group::Guest),
            (&logins.reader, Group::Reader),
        ] {
            if check(login, group).await.is_err() {
                make(pool, login, group, &password)
                    .await
                    .map_err(LoginError::NotMade)?;
                check(login, group).await?;
            }
        }
        Ok(logins)
    }
}

/// Makes a login, or gives one that is left over from a dropped database of the same number its password.
async fn make(
    pool: &PgPool,
    login: &PgConnectOptions,
    group: Group,
    password: &str,
) -> Result<(), sqlx::Error> {
    let name = login.get_username();
    let mut tx = pool.begin().await?;
    // Two hosts that start at once must not both make it.
    tx.execute("LOCK TABLE guest_access IN SHARE ROW EXCLUSIVE MODE")
        .await?;
    let exists = sqlx::query("SELECT FROM pg_roles WHERE rolname = $1")
        .bind(name)
        .fetch_optional(&mut *tx)
        .await?
        .is_some();
    // Name and password are our own and have letters, digits and '_' only.
    let sql = if exists {
        format!("ALTER ROLE {name} PASSWORD '{password}'")
    } else {
        format!(
            "CREATE ROLE {name} LOGIN PASSWORD '{password}' IN ROLE {}",
            group.name()
        )
    };
    tx.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await?;
    tx.commit().await
}

async fn check(login: &PgConnectOptions, group: Group) -> Result<(), LoginError> {
    let refused = |source| LoginError::Refused {
        login: login.get_username().to_owned(),
        source,
    };
    let mut connection = PgConnection::connect_with(login).await.map_err(refused)?;
    let row = sqlx::query(FITNESS)
        .bind(group.name())
        .fetch_one(&mut connection)
        .await
        .map_err(refused)?;
    let is = |name: &str| row.try_get::<bool, _>(name).map_err(refused);
    let why = if is("powerful")? {
        Some(
            "it may go round row-level security; take SUPERUSER, BYPASSRLS, CREATEROLE and the owner's role from it",
        )
    } else if group == Group::Reader && is("writes")? {
        Some("it may write; take g1t_guest from it")
    } else if !is("fits")? {
        Some("it lacks its group; grant the writing login g1t_guest and the reading one g1t_reader")
    } else {
        None
    };
    connection.close().await.ok();
    match why {
        Some(why) => Err(LoginError::Unfit {
            login: login.get_username().to_owned(),
            why,
        }),
        None => Ok(()),
    }
}
