// Drives a started server with GitHub's own client, which nobody here wrote: create a repository, open a pull request,
// report a status and a check run, list, merge. Prints "octokit: fine" at the end; any surprise is an exception.
import assert from "node:assert/strict";
import { Octokit } from "@octokit/rest";

const [, , baseUrl, step, ...rest] = process.argv;
const octokit = new Octokit({ auth: process.env.G1T_TOKEN, baseUrl: `${baseUrl}/api/v3` });
const site = { owner: "acme", repo: "site" };

if (step === "create") {
  const made = await octokit.rest.repos.createInOrg({ org: "acme", name: "site", private: true });
  assert.equal(made.status, 201);
  assert.equal(made.data.full_name, "acme/site");
  const listed = await octokit.rest.repos.listForOrg({ org: "acme" });
  assert.deepEqual(listed.data.map((repository) => repository.name), ["site"]);
  const who = await octokit.rest.users.getAuthenticated();
  assert.equal(who.data.login, "owner");
} else {
  const [head] = rest;
  const opened = await octokit.rest.pulls.create({ ...site, title: "Add feature", head: "feature", base: "main" });
  assert.equal(opened.data.head.sha, head);
  const pull_number = opened.data.number;
  const status = await octokit.rest.repos.createCommitStatus({ ...site, sha: head, state: "success", context: "lint" });
  assert.equal(status.data.state, "success");
  const combined = await octokit.rest.repos.getCombinedStatusForRef({ ...site, ref: head });
  assert.equal(combined.data.state, "success");
  const run = await octokit.rest.checks.create({ ...site, name: "ci", head_sha: head, status: "in_progress" });
  const done = await octokit.rest.checks.update({
    ...site,
    check_run_id: run.data.id,
    status: "completed",
    conclusion: "success",
    output: { title: "fine", summary: "all passed" },
  });
  assert.equal(done.data.conclusion, "success");
  const runs = await octokit.rest.checks.listForRef({ ...site, ref: head });
  assert.equal(runs.data.total_count, 1);
  const open = await octokit.paginate(octokit.rest.pulls.list, { ...site, state: "open" });
  assert.deepEqual(open.map((pull) => pull.number), [pull_number]);
  const commits = await octokit.rest.pulls.listCommits({ ...site, pull_number });
  assert.equal(commits.data.length, 1);
  await assert.rejects(octokit.rest.pulls.get({ ...site, pull_number: 999 }), { status: 404 });
  const merged = await octokit.rest.pulls.merge({ ...site, pull_number, merge_method: "squash", sha: head });
  assert.equal(merged.data.merged, true);
  const after = await octokit.rest.pulls.get({ ...site, pull_number });
  assert.equal(after.data.merged, true);
  assert.equal(after.data.merge_commit_sha, merged.data.sha);
}
console.log("octokit: fine");
