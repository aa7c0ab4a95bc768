-- Whoever has written to the outbox and is not done holds this lock on it, until the transaction is over.
SELECT EXISTS (SELECT FROM pg_locks l
               WHERE l.relation = 'outbox'::regclass AND l.mode = 'RowExclusiveLock' AND l.granted
                 AND l.pid <> pg_backend_pid()) AS any
