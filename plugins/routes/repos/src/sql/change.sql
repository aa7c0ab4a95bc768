UPDATE repositories SET
    description = coalesce($2::text, description), private = coalesce($3::boolean, private),
    default_branch = coalesce($4::text, default_branch), allow_merge_commit = coalesce($5::boolean, allow_merge_commit),
    allow_squash_merge = coalesce($6::boolean, allow_squash_merge),
    allow_rebase_merge = coalesce($7::boolean, allow_rebase_merge), updated_at = now()
WHERE id = $1::bigint
