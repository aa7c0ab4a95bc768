-- Void too: another tick may have given up what git then landed.
UPDATE queue_attempts SET state = 'landed' WHERE id = $1::text AND state IN ('landing', 'void')
