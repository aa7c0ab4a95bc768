-- Ids of events are UUIDv7, which sort by time: Postgres makes them itself only from version 18 on. A random one gets the
-- milliseconds in its first six bytes, and version 7 for 4 by the two bits they differ in.
CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE
    RETURN encode(
        set_bit(set_bit(
            overlay(uuid_send(gen_random_uuid())
                    PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
            52, 1), 53, 1), 'hex')::uuid;

ALTER TABLE outbox ALTER COLUMN id SET DEFAULT uuid_v7();
