// Generated from the OpenAPI document of the service.
/** Methods of each path, with their parameters, bodies and responses. */
export interface paths {
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List runs, newest first */
        get: operations["listRuns"];
        put?: never;
        /**
         * Start a run
         *
         * Responds once the run is stored; a stored run reaches a terminal status even if a process crashes. With `accept: text/event-stream` the response is the run's event stream; closing it does not cancel the run. With `Prefer: wait=N` the request waits up to N seconds (at most 60) until the run is settled and returns 200; a run that takes longer continues.
         */
        post: operations["createRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run with the history of an existing run
         *
         * The new run begins with a copy of the messages up to the end of a turn; no tool call is repeated. It belongs to no thread.
         */
        post: operations["forkRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         *
         * Idempotent. The run is `cancelling` until its calls have ended; a settled run is returned unchanged.
         */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a failed or expired run
         *
         * Continues with the next model call, with a new wall clock and the given limits; no tool call is repeated. Refused with run_not_resumable after failures that a new attempt cannot fix (refusal, context_full, max_tokens, invalid_output), for a run of kind `call`, and for a run followed by later runs in its thread.
         */
        post: operations["resumeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a run
         *
         * With `Prefer: wait=N` the request waits up to N seconds (at most 60) until the run is settled.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        /**
         * Erase a settled run
         *
         * Deletes its messages, events, tool calls, artifacts and inbox items, but not its audit entries. Runs forked from it keep their copy of the history.
         */
        delete: operations["deleteRun"];
        options?: never;
        head?: never;
        /** Change some metadata of a run */
        patch: operations["updateRun"];
        trace?: never;
    };
    "/v1/runs/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a run's messages, oldest first
         *
         * Without the messages of earlier runs of its thread, which GET /v1/threads/{id}/messages returns.
         */
        get: operations["listRunMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/tool-calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a run's tool calls, in order */
        get: operations["listToolCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A run's events, as a JSON page or a stream
         *
         * With `accept: text/event-stream` the events are streamed: an id-less `run.snapshot`, then every event after `Last-Event-ID` (or `after`) with its `seq` as id, and id-less `message.delta` frames. The stream ends when the run is settled; a reconnect after the end is answered with 204.
         */
        get: operations["listRunEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tools of the ready servers, by name */
        get: operations["listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/{name}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a tool, without a model
         *
         * The call is a run of kind `call`, with the same approvals, limits and tool-call records as any run. Returns 202 once it is stored; with `Prefer: wait=N` the request waits up to N seconds (at most 60) until the call has ended and returns 200.
         */
        post: operations["callTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/tool-calls/{call_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel one tool call
         *
         * The run and its other calls continue. For a call that was sent, the server gets a cancellation, and `cancel` shows its progress; a call that has ended is returned unchanged.
         */
        post: operations["cancelToolCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/tool-calls/{call_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a tool call */
        get: operations["getToolCall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List threads, newest first */
        get: operations["listThreads"];
        put?: never;
        /** Start a thread */
        post: operations["createThread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a thread */
        get: operations["getThread"];
        /** Replace the title and the metadata of a thread */
        put: operations["replaceThread"];
        post?: never;
        /** Erase a thread and its runs; all runs must be settled */
        delete: operations["deleteThread"];
        options?: never;
        head?: never;
        /** Change the title or some metadata of a thread */
        patch: operations["updateThread"];
        trace?: never;
    };
    "/v1/threads/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a thread's messages, oldest first */
        get: operations["listThreadMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List agents, newest first */
        get: operations["listAgents"];
        put?: never;
        /** Store an agent */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an agent */
        get: operations["getAgent"];
        /**
         * Replace an agent
         *
         * Makes a new version, unless the definition is the current one. The last 100 versions are kept. Runs that were started with the agent keep its earlier definition.
         */
        put: operations["replaceAgent"];
        post?: never;
        /**
         * Delete an agent
         *
         * Deletes its versions, too. Runs that were started with the agent continue.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of an agent, newest first
         *
         * The last 100 versions are kept. GET /v1/agents/{id}/versions/{version} returns the definition of one.
         */
        get: operations["listAgentVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a version of an agent */
        get: operations["getAgentVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models of the configured providers
         *
         * Lists the models of the catalogue and the configuration, by id. A run may name any other model that the provider offers.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a model
         *
         * Returns the data that a run with this name would use. A model that is unknown has a conservative context and output limit, listed in `assumed`, and no price.
         */
        get: operations["getModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store a text or another file as an artifact
         *
         * The body is the content of the file, at most 4 MiB, and the content type its media type; texts are in UTF-8. Name the artifact in `artifacts` of a run, so that its model sees the image or reads the text with `artifact_read`. An artifact that no run was created with is deleted after 24 hours.
         */
        post: operations["createArtifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the artifacts of clients that no run was created with yet, newest first */
        get: operations["listUploads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a run's artifacts, oldest first */
        get: operations["listArtifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an artifact
         *
         * A single byte range may be requested with `Range: bytes=…`.
         */
        get: operations["getArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the service is alive
         *
         * When a token is configured, a request without it gets only the status.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the service accepts work
         *
         * Not ready before the runs of an earlier process are recovered, or while the store cannot be read or written. MCP servers that are not connected do not matter, and a Redis that does not answer is reported only: the service accepts runs, which wait.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List inbox items, oldest first */
        get: operations["listInboxItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbox/{id}/respond": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer an inbox item */
        post: operations["respondToInboxItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbox/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an inbox item */
        get: operations["getInboxItem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/reconnect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reconnect an MCP server */
        post: operations["reconnectServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Drain an MCP server */
        post: operations["drainServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the last lines of the log of an MCP server
         *
         * At most 200 lines since the start of the process, oldest first: lines of the server on stderr, its log messages, and messages of the service about it. Secrets of the configuration are masked.
         */
        get: operations["getServerLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/tools/{tool}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve the changed definition of a tool */
        post: operations["approveServerTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/tools/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve the changed definitions of several tools atomically */
        post: operations["approveTools"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/roots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set an MCP server's roots until the service stops */
        put: operations["setServerRoots"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin the login of a person at an MCP server
         *
         * Returns the address that the person opens in a browser, within ten minutes. The login ends by a redirect to the service, or, with the method device, when the person has entered the code. Runs that wait for the login then continue.
         */
        post: operations["beginServerLogin"];
        /**
         * Log out of an MCP server
         *
         * Deletes the tokens of the server and revokes them.
         */
        delete: operations["logOutOfServer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Receive the redirect of a login
         *
         * The browser of a person is redirected here by the authorization server. Needs no API key: `state` identifies a login that the service began, and is accepted once. The response is a page for the person.
         */
        get: operations["receiveLoginRedirect"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the configured MCP servers */
        get: operations["listServers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an MCP server */
        get: operations["getServer"];
        put?: never;
        post?: never;
        /**
         * Remove an MCP server
         *
         * No new calls are sent to the server, and it ends once those in flight have ended. A server of the configuration file stays removed after a restart.
         */
        delete: operations["deleteServer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a server's tools */
        get: operations["listServerTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a server's resources */
        get: operations["listServerResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/resource-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a server's resource templates */
        get: operations["listServerResourceTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a server's prompts */
        get: operations["listServerPrompts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/resources/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a resource */
        get: operations["readServerResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/prompts/{prompt}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a prompt */
        post: operations["getServerPrompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete an argument of a prompt or of a resource template */
        post: operations["completeServerArgument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a server's changes, as a stream
         *
         * Server-sent events: `subscribed`, then `resource.updated` with the `uri` of a followed resource, `tools.changed`, `prompts.changed`, `resources.changed`, and `missed` after a restart of the server, when anything may have changed. The stream is open until the client disconnects.
         */
        get: operations["followServerChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{name}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the definition of an MCP server
         *
         * The definition is an entry of `mcpServers` in `signalbox.json`. A secret, such as a value of `env` or `headers`, is shown as `***`; a reference `${NAME}` is shown as it is.
         */
        get: operations["getServerDefinition"];
        /**
         * Add an MCP server, or replace its definition
         *
         * The definition is an entry of `mcpServers` in `signalbox.json`. A secret, such as a value of `env` or `headers`, is shown as `***`; a reference `${NAME}` is shown as it is. A `***` that is sent back keeps the secret in its place, unless it would be sent to another address. A new server connects at once; a changed one is connected anew once its calls in flight have ended.
         */
        put: operations["putServerDefinition"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List remembered approvals, oldest first */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Forget a remembered approval */
        delete: operations["forgetApproval"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List decisions about tool calls and their outcomes, and changes of webhooks and servers, oldest first
         *
         * Entries are append-only and are kept when their run is deleted. They contain no arguments or results.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List schedules, newest first */
        get: operations["listSchedules"];
        put?: never;
        /**
         * Create a schedule
         *
         * Starts runs at the times of a cron expression.
         */
        post: operations["createSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a schedule */
        get: operations["getSchedule"];
        put?: never;
        post?: never;
        /**
         * Delete a schedule
         *
         * Runs that were started continue.
         */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        /**
         * Change a schedule
         *
         * Fields that are left out stay. `run` is replaced as a whole. Runs that were started continue.
         */
        patch: operations["updateSchedule"];
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhooks, newest first */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         *
         * Announces events from now on to a URL, in signed requests.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a webhook */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /** Delete a webhook with its deliveries */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         *
         * Fields that are left out stay. Deliveries that are pending go to the new URL.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a webhook
         *
         * Requests are signed with the new secret and, until the overlap has passed, with the earlier ones.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deliveries of a webhook, newest first */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again that has ended
         *
         * The request has the same id and body, and a new series of attempts.
         */
        post: operations["resendWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Statistics of runs over time
         *
         * Counts the runs that were created in a time span, the newest 50,000 of them, by the interval of their creation, and measures the newest 100,000 model calls and tool calls, by the interval in which they began.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs and jobs that wait or are in progress */
        get: operations["getQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the processes of the service */
        get: operations["listWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
/** Schemas, responses and headers by name. */
export interface components {
    schemas: {
        Agent: {
            id: string;
            /** 1 for the first definition, one more for each change */
            version: number;
            name: string;
            instructions?: string;
            model?: string;
            servers?: string[];
            /** Tools that the model may use, by wire name. Other tools are not offered, and a call of one fails */
            tools?: components["schemas"]["UsableTools"];
            /** Approval of calls by wire name; the first rule that matches applies. The stricter of it and the policy of the server decides, so `auto` never undoes an `ask` or a `deny` of the configuration */
            approvals?: components["schemas"]["ApprovalRule"][];
            /** Sampling temperature; default that of the model */
            temperature?: number;
            /** Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies */
            max_tokens?: number;
            /**
             * Reasoning effort; default that of the model
             */
            effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
            /**
             * required: the first message of the run must call a tool; none: no message may call one; default auto
             */
            tool_choice?: "auto" | "required" | "none";
            /** The limits that were set */
            limits: {
                /** Model calls; default 50 */
                turns?: number;
                /** Tool calls; default 200 */
                tool_calls?: number;
                /** Milliseconds from the start of the run; default 14400000 */
                wall_clock_ms?: number;
                /** Milliseconds from the first failed attempt of a model call until the run gives up; default the wall clock limit */
                model_outage_ms?: number;
                /** Milliseconds without progress of one tool call, excluding the time spent waiting for user input; default 120000 */
                call_inactivity_ms?: number;
                /** Milliseconds of one tool call, excluding the time spent waiting for user input; default 1800000 */
                call_max_ms?: number;
                /** Milliseconds until an open inbox item expires; default 86400000 */
                inbox_expiry_ms?: number;
                /** Input and output tokens of all model calls; default no limit */
                tokens?: number;
                /** Output tokens of one model call, including thinking; default the maximum of the model */
                output_tokens?: number;
                /** US dollars of all model calls; refused for a model without a known price; default no limit */
                cost_usd?: number;
            };
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * Time of the current version, UTC, ISO 8601
             */
            updated_at: string;
        };
        AgentDefinition: {
            name: string;
            instructions?: string;
            model?: string;
            servers?: string[];
            /** Tools that the model may use, by wire name. Other tools are not offered, and a call of one fails */
            tools?: components["schemas"]["UsableTools"];
            /** Approval of calls by wire name; the first rule that matches applies. The stricter of it and the policy of the server decides, so `auto` never undoes an `ask` or a `deny` of the configuration */
            approvals?: components["schemas"]["ApprovalRule"][];
            /** Sampling temperature; default that of the model */
            temperature?: number;
            /** Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies */
            max_tokens?: number;
            /**
             * Reasoning effort; default that of the model
             */
            effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
            /**
             * required: the first message of the run must call a tool; none: no message may call one; default auto
             */
            tool_choice?: "auto" | "required" | "none";
            /** The limits that were set */
            limits: {
                /** Model calls; default 50 */
                turns?: number;
                /** Tool calls; default 200 */
                tool_calls?: number;
                /** Milliseconds from the start of the run; default 14400000 */
                wall_clock_ms?: number;
                /** Milliseconds from the first failed attempt of a model call until the run gives up; default the wall clock limit */
                model_outage_ms?: number;
                /** Milliseconds without progress of one tool call, excluding the time spent waiting for user input; default 120000 */
                call_inactivity_ms?: number;
                /** Milliseconds of one tool call, excluding the time spent waiting for user input; default 1800000 */
                call_max_ms?: number;
                /** Milliseconds until an open inbox item expires; default 86400000 */
                inbox_expiry_ms?: number;
                /** Input and output tokens of all model calls; default no limit */
                tokens?: number;
                /** Output tokens of one model call, including thinking; default the maximum of the model */
                output_tokens?: number;
                /** US dollars of all model calls; refused for a model without a known price; default no limit */
                cost_usd?: number;
            };
        };
        AgentList: {
            data: components["schemas"]["Agent"][];
            next_cursor?: string;
        };
        AgentVersion: {
            /** 1 for the first definition, one more for each change */
            version: number;
            /** Name of the API key of the request that made the version; anonymous without one. Absent for a definition that is older than the records of versions */
            api_key?: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /** PUT /v1/agents/{id} with it makes it the current definition again, as a new version */
            definition: components["schemas"]["AgentDefinition"];
        };
        AgentVersionEntry: {
            /** 1 for the first definition, one more for each change */
            version: number;
            /** Name of the API key of the request that made the version; anonymous without one. Absent for a definition that is older than the records of versions */
            api_key?: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            name: string;
        };
        AgentVersionList: {
            data: components["schemas"]["AgentVersionEntry"][];
            next_cursor?: string;
        };
        Approval: {
            id: string;
            /** Run of the approved call */
            run_id: string;
            /** Present if the approval is valid for all runs of the thread */
            thread_id?: string;
            inbox_item_id: string;
            server: string;
            tool: string;
            /** Format: date-time */
            created_at: string;
        };
        ApprovalList: {
            data: components["schemas"]["Approval"][];
            next_cursor?: string;
        };
        ApprovalRule: {
            /** A wire name `server__tool`, in which `*` matches any characters */
            tools: string;
            policy: "auto" | "ask" | "deny";
        };
        ApprovalRuleInput: {
            /** A wire name `server__tool`, in which `*` matches any characters */
            tools: string;
            policy: "auto" | "ask" | "deny";
        };
        ApproveTool: {
            /** Digest of the reviewed definition; refused if the definition has changed since */
            digest?: string;
        };
        ApproveTools: {
            /** all: every quarantined tool of the server */
            tools: "all" | {
                tool: string;
                /** Digest of the reviewed definition */
                digest?: string;
            }[];
        };
        ApprovedTools: {
            name: string;
            /** Name in the configuration, if different */
            configured_name?: string;
            transport: "stdio" | "http" | "sse";
            /**
             * needs_login: the server refuses the service until a person logs in; invalid: its configuration is invalid, and `error` has the reason
             */
            state: "connecting" | "ready" | "needs_login" | "failed" | "draining" | "drained" | "closed" | "invalid";
            /** Present with needs_login, and while calls of a ready server need more scopes. POST /v1/servers/{name}/login begins the login */
            login?: components["schemas"]["NeededLogin"];
            /**
             * degraded: ready, but calls are blocked or tools are quarantined
             */
            health: "ok" | "degraded" | "down";
            /**
             * open: the server does not respond, so no call is sent until opens_again_at; half_open: one trial call is sent
             */
            breaker: "closed" | "open" | "half_open";
            /** Consecutive unanswered calls within a minute */
            breaker_failures: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            opens_again_at?: string;
            era?: "legacy" | "modern";
            protocol_version?: string;
            server_info?: {
                name: string;
                version: string;
            };
            tool_count: number;
            /** Tools that changed since they were first seen; not offered before a person approves the change */
            quarantined: string[];
            /** Paths of the directories that the server gets as roots */
            roots: string[];
            warnings: string[];
            error?: string;
            pid?: number;
            /** Processes or sessions of the server; several for a legacy server that sends input requests */
            connections: {
                pid?: number;
                /** Calls in flight */
                calls: number;
                run_ids: string[];
                /** Open input requests of the server */
                open_questions: number;
                /** Why the connection takes no new calls and is closed when it is idle */
                retiring?: string;
            }[];
            /** Calls that wait for a connection */
            waiting_calls: {
                run_id: string;
                call_id?: string;
                reason: "connections_busy" | "connection_opening" | "server_restarting" | "question_held" | "rate_limited";
                message: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                since: string;
            }[];
            /** Present while calls wait because the server has reached its `callsPerMinute` */
            rate_limited?: {
                /** Calls that wait for their turn, of all processes */
                calls: number;
                /**
                 * Format: date-time
                 *
                 * When the next of them is expected to be sent
                 */
                next_at: string;
            };
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            since: string;
            restarts: number;
            /** Present where the API may change servers */
            definition?: {
                /**
                 * Where the server is defined: the configuration file, the API, or the command line
                 */
                source: "configuration" | "api" | "command_line";
                /** Whether the API may change and remove the server */
                editable: boolean;
            };
            /** State on each worker, in a process with `--role api`; the other fields describe the worker with the best state */
            workers?: {
                id: string;
                state: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                since: string;
                error?: string;
            }[];
            /** Tools whose changed definition was approved */
            approved: string[];
        };
        Artifact: {
            id: string;
            /** Run of the call; another run for an artifact of a forked run */
            run_id?: string;
            /** Absent for an upload */
            call_id?: string;
            media_type: string;
            bytes: number;
            /** Larger than `bytes` if the end of the text was not kept */
            original_bytes: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
        };
        ArtifactList: {
            data: components["schemas"]["Artifact"][];
            next_cursor?: string;
        };
        AuditEntry: {
            /** 1, 2, 3… over all runs */
            seq: number;
            /** Format: date-time */
            at: string;
            /**
             * The deciding party; remembered: an earlier approval by a person
             */
            who: "person" | "policy" | "remembered" | "expiry" | "service";
            /** Absent for a change of a webhook or a server */
            run_id?: string;
            call_id?: string;
            inbox_item_id?: string;
            webhook_id?: string;
            /** Name of the API key of the request; present for a change of a server */
            api_key?: string;
            kind: "tool_call" | "webhook" | "server" | "elicitation_form" | "elicitation_url" | "sampling_approval" | "sampling_reply" | "outcome_unknown" | "server_login";
            server?: string;
            tool?: string;
            /** Digest of the canonical JSON (RFC 8785) of the arguments */
            arguments_sha256?: string;
            /** allowed, asked, approved, approved_with_changes, denied, expired, accepted, declined, dismissed, retry, mark_done, fail or forgotten; for a webhook created, changed, secret_rotated, disabled or deleted; for a server added, changed, removed or, if it could not be stored, not_applied */
            decision?: string;
            outcome?: "succeeded" | "failed" | "cancelled" | "unknown";
        };
        AuditPage: {
            data: components["schemas"]["AuditEntry"][];
            next_cursor?: string;
        };
        CallRun: {
            id: string;
            /**
             * call: one tool call without a model
             */
            kind: "agent" | "call";
            status: "queued" | "running" | "input_required" | "cancelling" | "completed" | "failed" | "cancelled" | "expired";
            status_reason?: string;
            /**
             * normal for kind call
             */
            priority: "high" | "normal" | "low";
            /** Name of the API key that created the run; anonymous without one */
            api_key: string;
            prompt: string;
            servers?: string[];
            /** Tools that the model may use, by wire name. Other tools are not offered, and a call of one fails */
            tools?: components["schemas"]["UsableTools"];
            /** Approval of calls by wire name; the first rule that matches applies. The stricter of it and the policy of the server decides, so `auto` never undoes an `ask` or a `deny` of the configuration */
            approvals?: components["schemas"]["ApprovalRule"][];
            /** Absent for kind call */
            provider?: string;
            /** Absent for kind call */
            model?: string;
            /** Whether scripts answer in place of a model */
            scripted: boolean;
            /** Present when the answers are scripted, or the limits of the model are assumed */
            notice?: string;
            /** Sampling temperature; default that of the model */
            temperature?: number;
            /** Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies */
            max_tokens?: number;
            /**
             * Reasoning effort; default that of the model
             */
            effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
            /**
             * required: the first message of the run must call a tool; none: no message may call one; default auto
             */
            tool_choice?: "auto" | "required" | "none";
            limits: components["schemas"]["RunLimits"];
            thread_id?: string;
            agent_id?: string;
            /** Version of the agent with which the run was started */
            agent_version?: number;
            instructions?: string;
            metadata: {
                [key: string]: string;
            };
            forked_from?: {
                run_id: string;
                turn: number;
            };
            last_seq: number;
            turns: number;
            tool_calls: number;
            usage?: components["schemas"]["Usage"];
            answer?: string;
            output_schema?: {
                [key: string]: unknown;
            };
            /** The answer as a value that conforms to output_schema */
            output?: unknown;
            error?: components["schemas"]["RunError"];
            /** The model call failed for a temporary reason and is retried; status_reason is model_unavailable */
            model_outage?: {
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                since: string;
                /** Consecutive failed attempts */
                attempts: number;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                next_attempt_at: string;
                /** Reason of the last failure */
                error: components["schemas"]["RunError"];
            };
            /** The oldest open inbox items of the run, at most 20; GET /v1/inbox?run_id= returns all */
            inbox: components["schemas"]["InboxItem"][];
            /**
             * Present in lists when prompt, instructions or answer is truncated to 1000 characters, or output or output_schema is left out; GET /v1/runs/{id} returns them in full
             */
            is_shortened?: true;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            started_at?: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            finished_at?: string;
            call: components["schemas"]["ToolCall"];
        };
        CancelCall: Record<string, never>;
        CancelRun: {
            /** Shown in the run; never sent to servers */
            reason?: string;
        };
        CompletionRequest: {
            of: {
                prompt: string;
            } | {
                uri_template: string;
            };
            argument: {
                name: string;
                /** Text typed so far */
                value: string;
            };
            /** Values of the earlier arguments */
            chosen?: {
                [key: string]: string;
            };
        };
        CompletionValues: {
            values: string[];
            total?: number;
            has_more?: boolean;
        };
        CreatedWebhook: {
            id: string;
            url: string;
            event_types: ("run.queued" | "run.started" | "run.input_required" | "run.resumed" | "run.completed" | "run.failed" | "run.cancelled" | "run.expired" | "inbox.opened" | "inbox.answered" | "inbox.expired" | "inbox.void")[];
            description?: string;
            /**
             * disabled: by a client, or because the endpoint answered with status 410; nothing is sent
             */
            state: "enabled" | "disabled";
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            disabled_at?: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /** New secret that signs the requests (Standard Webhooks, `whsec_…`). Returned only here, and left out when the request is repeated with its idempotency key */
            secret?: string;
        };
        ElicitationFormItem: {
            id: string;
            run_id: string;
            call_id?: string;
            state: "open" | "answered" | "delivered" | "void" | "expired";
            response?: components["schemas"]["StoredInboxResponse"];
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            expires_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            answered_at?: string;
            /** For elicitation_form: its fields, with titles, defaults and choices. Absent when is_shortened */
            fields?: components["schemas"]["FormField"][];
            /**
             * Present in lists, runs and snapshots when long parts of request or response are truncated or empty; GET /v1/inbox/{id} returns them in full
             */
            is_shortened?: true;
            kind: "elicitation_form";
            request: components["schemas"]["ElicitationFormRequest"];
        };
        /** A form from the server. Respond with accept and content, decline, or cancel */
        ElicitationFormRequest: {
            /** MCP server of the call */
            server: string;
            tool: string;
            /** The wire name, server__tool */
            name: string;
            message: string;
            /** A JSON Schema for a flat object */
            requested_schema: {
                [key: string]: unknown;
            };
        };
        ElicitationUrlItem: {
            id: string;
            run_id: string;
            call_id?: string;
            state: "open" | "answered" | "delivered" | "void" | "expired";
            response?: components["schemas"]["StoredInboxResponse"];
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            expires_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            answered_at?: string;
            /** For elicitation_form: its fields, with titles, defaults and choices. Absent when is_shortened */
            fields?: components["schemas"]["FormField"][];
            /**
             * Present in lists, runs and snapshots when long parts of request or response are truncated or empty; GET /v1/inbox/{id} returns them in full
             */
            is_shortened?: true;
            kind: "elicitation_url";
            request: components["schemas"]["ElicitationUrlRequest"];
        };
        /** A page that the person opens in a browser. Respond with accept, decline or cancel */
        ElicitationUrlRequest: {
            /** MCP server of the call */
            server: string;
            tool: string;
            /** The wire name, server__tool */
            name: string;
            message: string;
            url: string;
            host: string;
            /** Suspicious properties of the address */
            warnings: string[];
            elicitation_id?: string;
            /** Whether the server reported that the elicitation is complete */
            is_completed?: boolean;
        };
        FormChoice: {
            value: string | number;
            /** Text to show; the value itself if the server gives no title */
            title: string;
        };
        FormField: {
            /** Member of `content` with the value of the field */
            name: string;
            /**
             * array: a list of strings, limited to `choices` if present
             */
            type: "string" | "number" | "integer" | "boolean" | "array";
            title?: string;
            description?: string;
            required: boolean;
            /** Value when the response omits the field; null in the response leaves an optional field empty */
            default?: string | number | boolean | string[];
            /** Allowed values of the field, or of the entries of an array */
            choices?: components["schemas"]["FormChoice"][];
            /** email, uri, date and date-time are checked */
            format?: string;
            /** Length in characters */
            min_length?: number;
            max_length?: number;
            minimum?: number;
            maximum?: number;
            min_items?: number;
            max_items?: number;
        };
        Health: {
            status: "ok";
            version?: string;
            provider?: string;
            model?: string;
            scripted?: boolean;
            notice?: string;
        };
        /** A person responded */
        InboxAnsweredEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "inbox.answered";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** A person responded */
            data: {
                inbox_item_id: string;
                kind: "tool_approval" | "elicitation_form" | "elicitation_url" | "sampling_approval" | "sampling_reply" | "outcome_unknown" | "server_login";
                call_id?: string;
                response: components["schemas"]["StoredInboxResponse"];
            };
        };
        /** The server reported that an elicitation by URL is complete */
        InboxCompletedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "inbox.completed";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The server reported that an elicitation by URL is complete */
            data: {
                inbox_item_id: string;
                kind: "tool_approval" | "elicitation_form" | "elicitation_url" | "sampling_approval" | "sampling_reply" | "outcome_unknown" | "server_login";
                call_id?: string;
            };
        };
        /** The response was delivered to the call or to the engine */
        InboxDeliveredEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "inbox.delivered";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The response was delivered to the call or to the engine */
            data: {
                inbox_item_id: string;
                kind: "tool_approval" | "elicitation_form" | "elicitation_url" | "sampling_approval" | "sampling_reply" | "outcome_unknown" | "server_login";
                call_id?: string;
            };
        };
        /** The item expired without a response */
        InboxExpiredEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "inbox.expired";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The item expired without a response */
            data: {
                inbox_item_id: string;
                kind: "tool_approval" | "elicitation_form" | "elicitation_url" | "sampling_approval" | "sampling_reply" | "outcome_unknown" | "server_login";
                call_id?: string;
            };
        };
        /** A request for input from a person; the shape of `request` depends on `kind` */
        InboxItem: components["schemas"]["ToolApprovalItem"] | components["schemas"]["ElicitationFormItem"] | components["schemas"]["ElicitationUrlItem"] | components["schemas"]["SamplingApprovalItem"] | components["schemas"]["SamplingReplyItem"] | components["schemas"]["OutcomeUnknownItem"] | components["schemas"]["ServerLoginItem"];
        InboxList: {
            data: components["schemas"]["InboxItem"][];
            next_cursor?: string;
        };
        /** A request for input from a person was opened */
        InboxOpenedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "inbox.opened";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** A request for input from a person was opened */
            data: {
                inbox_item_id: string;
                call_id?: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                expires_at: string;
                kind: "tool_approval";
                request: components["schemas"]["ToolApprovalRequest"];
            } | {
                inbox_item_id: string;
                call_id?: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                expires_at: string;
                kind: "elicitation_form";
                request: components["schemas"]["ElicitationFormRequest"];
            } | {
                inbox_item_id: string;
                call_id?: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                expires_at: string;
                kind: "elicitation_url";
                request: components["schemas"]["ElicitationUrlRequest"];
            } | {
                inbox_item_id: string;
                call_id?: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                expires_at: string;
                kind: "sampling_approval";
                request: components["schemas"]["SamplingApprovalRequest"];
            } | {
                inbox_item_id: string;
                call_id?: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                expires_at: string;
                kind: "sampling_reply";
                request: components["schemas"]["SamplingReplyRequest"];
            } | {
                inbox_item_id: string;
                call_id?: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                expires_at: string;
                kind: "outcome_unknown";
                request: components["schemas"]["OutcomeUnknownRequest"];
            } | {
                inbox_item_id: string;
                call_id?: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                expires_at: string;
                kind: "server_login";
                request: components["schemas"]["ServerLoginRequest"];
            };
        };
        /**
         * @example {
         *       "action": "approve",
         *       "remember": "run"
         *     }
         * @example {
         *       "action": "accept",
         *       "content": {
         *         "name": "Ada"
         *       }
         *     }
         */
        InboxResponse: {
            /**
             * tool_approval, sampling_approval and sampling_reply: approve or deny; elicitation_form and elicitation_url: accept, decline or cancel; outcome_unknown: retry, mark_done or fail; server_login: retry or decline
             */
            action: "approve" | "deny" | "accept" | "decline" | "cancel" | "retry" | "mark_done" | "fail";
            /** The fields of an accepted elicitation form; or, of an approved sampling request or reply, the changed system_prompt, messages, max_tokens, or text */
            content?: {
                [key: string]: unknown;
            };
            /** For an approved tool call: arguments that replace those of the model */
            arguments?: {
                [key: string]: unknown;
            };
            /**
             * For an approved tool call: the scope in which later calls of the same tool are approved, with any arguments; default call (this call only)
             */
            remember?: "call" | "run" | "thread";
            /** Note to the model about a denied call or a settled unknown outcome */
            note?: string;
        };
        /** The item was closed because a response is no longer needed */
        InboxVoidEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "inbox.void";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The item was closed because a response is no longer needed */
            data: {
                inbox_item_id: string;
                kind: "tool_approval" | "elicitation_form" | "elicitation_url" | "sampling_approval" | "sampling_reply" | "outcome_unknown" | "server_login";
                call_id?: string;
                reason: "withdrawn" | "call_ended" | "run_ended" | "process_ended";
            };
        };
        /** A limit was reached */
        LimitExceededEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "limit.exceeded";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** A limit was reached */
            data: {
                limit: "turns" | "tool_calls" | "wall_clock_ms" | "tokens" | "cost_usd";
                used: number;
                allowed: number;
            };
        };
        /** 80 % of a limit was reached */
        LimitWarningEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "limit.warning";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** 80 % of a limit was reached */
            data: {
                limit: "turns" | "tool_calls" | "wall_clock_ms" | "tokens" | "cost_usd";
                used: number;
                allowed: number;
            };
        };
        Limits: {
            /** Model calls; default 50 */
            turns?: number;
            /** Tool calls; default 200 */
            tool_calls?: number;
            /** Milliseconds from the start of the run; default 14400000 */
            wall_clock_ms?: number;
            /** Milliseconds from the first failed attempt of a model call until the run gives up; default the wall clock limit */
            model_outage_ms?: number;
            /** Milliseconds without progress of one tool call, excluding the time spent waiting for user input; default 120000 */
            call_inactivity_ms?: number;
            /** Milliseconds of one tool call, excluding the time spent waiting for user input; default 1800000 */
            call_max_ms?: number;
            /** Milliseconds until an open inbox item expires; default 86400000 */
            inbox_expiry_ms?: number;
            /** Input and output tokens of all model calls; default no limit */
            tokens?: number;
            /** Output tokens of one model call, including thinking; default the maximum of the model */
            output_tokens?: number;
            /** US dollars of all model calls; refused for a model without a known price; default no limit */
            cost_usd?: number;
        };
        LoggedOut: {
            /** Whether nothing remains at the authorization server; false if it has no revocation endpoint or could not be reached */
            is_revoked: boolean;
        };
        LoginStart: {
            /**
             * Default: browser, if the service has an address for the redirect and the authorization server supports it
             */
            method?: "browser" | "device";
        };
        McpList: {
            data: {
                [key: string]: unknown;
            }[];
            next_cursor?: string;
        };
        Message: {
            id: string;
            run_id: string;
            /** Turn of the run; 0 for the messages that the run began with */
            turn: number;
            role: "user" | "assistant";
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at?: string;
            /** MCP content blocks, and tool_use, tool_result, reasoning and refusal */
            content: {
                [key: string]: unknown;
            }[];
        };
        /** The whole message; it replaces the text of its message.delta frames */
        MessageCompletedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "message.completed";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The whole message; it replaces the text of its message.delta frames */
            data: {
                /** 1, 2, 3… within the run */
                turn: number;
                message_id: string;
                role: "assistant";
                text: string;
                tool_uses: {
                    id: string;
                    name: string;
                    input: {
                        [key: string]: unknown;
                    };
                }[];
                /** Whether the model call ended before the message was complete */
                is_partial: boolean;
            };
        };
        /** The next part of an unfinished message; has no id and is not stored */
        MessageDeltaFrame: {
            type: "message.delta";
            run_id: string;
            message_id: string;
            kind: "text" | "reasoning" | "arguments";
            /** For kind arguments: the tool call whose arguments, as JSON, grow */
            tool_use?: {
                /** Position among the tool calls of the message */
                index: number;
                id: string;
                name: string;
            };
            /** Offset in characters within the text, reasoning or arguments of the message */
            offset: number;
            text: string;
        };
        MessageList: {
            data: components["schemas"]["Message"][];
            next_cursor?: string;
        };
        /** The first part of a message arrived */
        MessageStartedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "message.started";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The first part of a message arrived */
            data: {
                /** 1, 2, 3… within the run */
                turn: number;
                message_id: string;
                role: "assistant";
            };
        };
        Model: {
            /** provider/model: the name for runs and agents */
            id: string;
            /** Name of the configured provider */
            provider: string;
            /** Model id of the provider */
            model: string;
            aliases: string[];
            /** Whether runs without a model use this one */
            is_default: boolean;
            tier?: "small" | "medium" | "large";
            /** Tokens of a conversation with its answer */
            context_tokens: number;
            /** Output tokens of one message, including thinking */
            max_output_tokens: number;
            /** Limits that are unknown and have a conservative default */
            assumed: ("context_tokens" | "max_output_tokens")[];
            /** US dollars per million tokens; absent when the price is not known */
            price?: {
                input: number;
                output: number;
                cache_read: number;
                cache_write: number;
                /** Prices of a whole call whose input is longer than input_tokens */
                above?: {
                    input_tokens: number;
                    input: number;
                    output: number;
                    cache_read: number;
                    cache_write: number;
                };
            };
            /** Whether the model thinks before it answers */
            reasons: boolean;
            /** Settings that runs and agents may set for the model */
            settings: {
                /** Highest temperature; absent when the model takes no temperature */
                max_temperature?: number;
                /** Accepted efforts */
                efforts: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max")[];
                /** Accepted tool choices */
                tool_choices: ("auto" | "required" | "none")[];
            };
            /** Content and features that a request may use */
            takes: {
                tools: boolean;
                images: boolean;
                audio: boolean;
                pdf: boolean;
                stop_sequences: boolean;
            };
            /** Origin of the data; fields of the configuration override the catalogue */
            source: {
                /**
                 * none: the model is unknown, and its limits are assumed
                 */
                kind: "catalogue" | "configuration" | "none";
                /** Publication of the vendor */
                url?: string;
                /** Date of the data, YYYY-MM-DD */
                as_of?: string;
            };
        };
        ModelList: {
            data: components["schemas"]["Model"][];
            next_cursor?: string;
        };
        NeededLogin: {
            /** Authorization server */
            issuer: string;
            resource: string;
            /** Scopes that the login will request */
            scopes: string[];
            /** Scopes that the refused request needs */
            required_scopes: string[];
            /**
             * no_tokens: nobody has logged in; tokens_refused: the server refuses the tokens; refresh_refused: the authorization server ended the last login; insufficient_scope: the server needs more scopes
             */
            reason: "no_tokens" | "tokens_refused" | "refresh_refused" | "insufficient_scope";
            /** Methods of the authorization server */
            methods: ("browser" | "device")[];
        };
        /**
         * @example {
         *       "name": "Analyst",
         *       "instructions": "Answer with numbers.",
         *       "servers": [
         *         "sqlite"
         *       ],
         *       "tools": {
         *         "deny": [
         *           "sqlite__import_*"
         *         ]
         *       },
         *       "approvals": [
         *         {
         *           "tools": "sqlite__execute_*",
         *           "policy": "ask"
         *         }
         *       ],
         *       "limits": {
         *         "cost_usd": 0.5
         *       }
         *     }
         */
        NewAgent: {
            name: string;
            /** Added to the instructions of every run */
            instructions?: string;
            /** provider/model, or the id or alias of a model that one provider offers (GET /v1/models); default: the configured model */
            model?: string;
            /** Names of the MCP servers whose tools may be used; default: all */
            servers?: string[];
            /** Tools that the model may use, by wire name. Other tools are not offered, and a call of one fails; null instead of inherited values */
            tools?: components["schemas"]["RequestedToolsInput"] | null;
            /** Approval of calls by wire name; the first rule that matches applies. The stricter of it and the policy of the server decides, so `auto` never undoes an `ask` or a `deny` of the configuration; null instead of an inherited value */
            approvals?: components["schemas"]["ApprovalRuleInput"][] | null;
            /** Sampling temperature; default that of the model; null instead of an inherited value */
            temperature?: number | null;
            /** Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies; null instead of an inherited value */
            max_tokens?: number | null;
            /** Reasoning effort; default that of the model; null instead of an inherited value */
            effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max") | null;
            /** required: the first message of the run must call a tool; none: no message may call one; default auto; null instead of an inherited value */
            tool_choice?: ("auto" | "required" | "none") | null;
            limits?: components["schemas"]["Limits"];
        };
        /**
         * @example {
         *       "arguments": {
         *         "path": "README.md"
         *       }
         *     }
         */
        NewCall: {
            /** Must conform to the input schema of the tool; default: no arguments */
            arguments?: {
                [key: string]: unknown;
            };
            limits?: components["schemas"]["Limits"];
            /** Metadata that the client attaches: at most 16 entries, names of at most 64 characters, values of at most 512 */
            metadata?: {
                [key: string]: string;
            };
        };
        /**
         * Omitted fields, and omitted limits, are taken from the run
         * @example {
         *       "at_turn": 2,
         *       "prompt": "Only those of this year."
         *     }
         */
        NewFork: {
            /** Last turn to keep; 0 keeps only the prompt; default: the last turn whose calls have ended */
            at_turn?: number;
            /** Next user message; at turn 0 it replaces the prompt */
            prompt?: string;
            /** Names of the MCP servers whose tools may be used; default: all */
            servers?: string[];
            /** provider/model, or the id or alias of a model that one provider offers (GET /v1/models); default: the configured model */
            model?: string;
            /** Tools that the model may use, by wire name. Other tools are not offered, and a call of one fails; null instead of inherited values */
            tools?: components["schemas"]["RequestedToolsInput"] | null;
            /** Approval of calls by wire name; the first rule that matches applies. The stricter of it and the policy of the server decides, so `auto` never undoes an `ask` or a `deny` of the configuration; null instead of an inherited value */
            approvals?: components["schemas"]["ApprovalRuleInput"][] | null;
            /** Sampling temperature; default that of the model; null instead of an inherited value */
            temperature?: number | null;
            /** Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies; null instead of an inherited value */
            max_tokens?: number | null;
            /** Reasoning effort; default that of the model; null instead of an inherited value */
            effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max") | null;
            /** required: the first message of the run must call a tool; none: no message may call one; default auto; null instead of an inherited value */
            tool_choice?: ("auto" | "required" | "none") | null;
            limits?: components["schemas"]["Limits"];
            /** Added to the instructions of every run */
            instructions?: string;
            /**
             * Order in which waiting runs begin; a run in progress is never interrupted; default normal
             */
            priority?: "high" | "normal" | "low";
            /** Metadata that the client attaches: at most 16 entries, names of at most 64 characters, values of at most 512 */
            metadata?: {
                [key: string]: string;
            };
            /** JSON Schema of an object that the answer must conform to; after one failed repair attempt the run fails with invalid_output */
            output_schema?: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "prompt": "Which customers bought most?",
         *       "servers": [
         *         "sqlite"
         *       ],
         *       "limits": {
         *         "tool_calls": 20
         *       },
         *       "metadata": {
         *         "user": "ada"
         *       }
         *     }
         */
        NewRun: {
            /** The task, in plain words */
            prompt: string;
            /** Names of the MCP servers whose tools may be used; default: all */
            servers?: string[];
            /** provider/model, or the id or alias of a model that one provider offers (GET /v1/models); default: the configured model */
            model?: string;
            /** Tools that the model may use, by wire name. Other tools are not offered, and a call of one fails; null instead of inherited values */
            tools?: components["schemas"]["RequestedToolsInput"] | null;
            /** Approval of calls by wire name; the first rule that matches applies. The stricter of it and the policy of the server decides, so `auto` never undoes an `ask` or a `deny` of the configuration; null instead of an inherited value */
            approvals?: components["schemas"]["ApprovalRuleInput"][] | null;
            /** Sampling temperature; default that of the model; null instead of an inherited value */
            temperature?: number | null;
            /** Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies; null instead of an inherited value */
            max_tokens?: number | null;
            /** Reasoning effort; default that of the model; null instead of an inherited value */
            effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max") | null;
            /** required: the first message of the run must call a tool; none: no message may call one; default auto; null instead of an inherited value */
            tool_choice?: ("auto" | "required" | "none") | null;
            limits?: components["schemas"]["Limits"];
            /** Added to the instructions of every run */
            instructions?: string;
            /**
             * Order in which waiting runs begin; a run in progress is never interrupted; default normal
             */
            priority?: "high" | "normal" | "low";
            /** Metadata that the client attaches: at most 16 entries, names of at most 64 characters, values of at most 512 */
            metadata?: {
                [key: string]: string;
            };
            /** JSON Schema of an object that the answer must conform to; after one failed repair attempt the run fails with invalid_output */
            output_schema?: {
                [key: string]: unknown;
            };
            /** Id of a stored agent, whose fields apply unless the run sets them */
            agent_id?: string;
            /** Version of the agent; default: the current one when the run is stored */
            agent_version?: number;
            /** Id of a thread; the run begins with the messages of its settled runs */
            thread_id?: string;
            /** Ids of artifacts that the model can read with artifact_read */
            artifacts?: string[];
            /**
             * Action while a run of the thread is not settled: reject (409), enqueue (wait until it is settled) or interrupt (cancel it first); default reject
             */
            on_busy?: "reject" | "enqueue" | "interrupt";
        };
        /**
         * @example {
         *       "cron": "0 9 * * MON-FRI",
         *       "time_zone": "Europe/Berlin",
         *       "run": {
         *         "prompt": "Which orders are late?",
         *         "servers": [
         *           "sqlite"
         *         ]
         *       }
         *     }
         */
        NewSchedule: {
            name?: string;
            /** Five fields: minute, hour, day of month, month, weekday, such as `0 9 * * MON-FRI`; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly` */
            cron: string;
            /**
             * IANA name such as Europe/Berlin; default UTC
             * @default UTC
             */
            time_zone: string;
            /** The run to start, as in POST /v1/runs. Its metadata gets `schedule_id` and `scheduled_at` */
            run: {
                /** The task, in plain words */
                prompt: string;
                /** Names of the MCP servers whose tools may be used; default: all */
                servers?: string[];
                /** provider/model, or the id or alias of a model that one provider offers (GET /v1/models); default: the configured model */
                model?: string;
                /** Tools that the model may use, by wire name. Other tools are not offered, and a call of one fails; null instead of inherited values */
                tools?: components["schemas"]["RequestedToolsInput"] | null;
                /** Approval of calls by wire name; the first rule that matches applies. The stricter of it and the policy of the server decides, so `auto` never undoes an `ask` or a `deny` of the configuration; null instead of an inherited value */
                approvals?: components["schemas"]["ApprovalRuleInput"][] | null;
                /** Sampling temperature; default that of the model; null instead of an inherited value */
                temperature?: number | null;
                /** Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies; null instead of an inherited value */
                max_tokens?: number | null;
                /** Reasoning effort; default that of the model; null instead of an inherited value */
                effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max") | null;
                /** required: the first message of the run must call a tool; none: no message may call one; default auto; null instead of an inherited value */
                tool_choice?: ("auto" | "required" | "none") | null;
                limits?: components["schemas"]["Limits"];
                /** Added to the instructions of every run */
                instructions?: string;
                /**
                 * Order in which waiting runs begin; a run in progress is never interrupted; default normal
                 */
                priority?: "high" | "normal" | "low";
                /** Metadata that the client attaches: at most 16 entries, names of at most 64 characters, values of at most 512 */
                metadata?: {
                    [key: string]: string;
                };
                /** JSON Schema of an object that the answer must conform to; after one failed repair attempt the run fails with invalid_output */
                output_schema?: {
                    [key: string]: unknown;
                };
                /** Id of a stored agent, whose fields apply unless the run sets them */
                agent_id?: string;
                /** Version of the agent; default: the current one when the run is stored */
                agent_version?: number;
                /** Id of a thread; the run begins with the messages of its settled runs */
                thread_id?: string;
            };
            /**
             * Action at a time at which the previous run of the schedule is not settled, or the API key of the schedule has used up runs_per_minute: skip (the time is left out) or queue (the run starts when the previous one is settled and the rate allows it; later times meanwhile are left out); default skip
             * @default skip
             */
            on_busy: "skip" | "queue";
            /**
             * Whether runs are started; default true
             * @default true
             */
            enabled: boolean;
        };
        /**
         * @example {
         *       "title": "Orders",
         *       "metadata": {
         *         "user": "ada"
         *       }
         *     }
         */
        NewThread: {
            title?: string;
            /** Metadata that the client attaches: at most 16 entries, names of at most 64 characters, values of at most 512 */
            metadata?: {
                [key: string]: string;
            };
        };
        /**
         * @example {
         *       "url": "https://example.com/signalbox",
         *       "event_types": [
         *         "run.completed"
         *       ]
         *     }
         */
        NewWebhook: {
            /** https: URL at a public address, without user name and password; other addresses only if the configuration allows their network */
            url: string;
            /**
             * Events to announce; default: the ends of runs and `run.input_required`
             * @default [
             *       "run.input_required",
             *       "run.completed",
             *       "run.failed",
             *       "run.cancelled",
             *       "run.expired"
             *     ]
             */
            event_types: ("run.queued" | "run.started" | "run.input_required" | "run.resumed" | "run.completed" | "run.failed" | "run.cancelled" | "run.expired" | "inbox.opened" | "inbox.answered" | "inbox.expired" | "inbox.void")[];
            description?: string;
        };
        OutcomeUnknownItem: {
            id: string;
            run_id: string;
            call_id?: string;
            state: "open" | "answered" | "delivered" | "void" | "expired";
            response?: components["schemas"]["StoredInboxResponse"];
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            expires_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            answered_at?: string;
            /** For elicitation_form: its fields, with titles, defaults and choices. Absent when is_shortened */
            fields?: components["schemas"]["FormField"][];
            /**
             * Present in lists, runs and snapshots when long parts of request or response are truncated or empty; GET /v1/inbox/{id} returns them in full
             */
            is_shortened?: true;
            kind: "outcome_unknown";
            request: components["schemas"]["OutcomeUnknownRequest"];
        };
        /** A call was sent and its result was lost. Respond with retry, mark_done or fail */
        OutcomeUnknownRequest: {
            /** MCP server of the call */
            server: string;
            tool: string;
            /** The wire name, server__tool */
            name: string;
            message: string;
            arguments: {
                [key: string]: unknown;
            };
            attempt: number;
        };
        PinnedTool: {
            tool: string;
            /** SHA-256 of the pinned definition */
            digest: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            first_seen_at: string;
            /**
             * Format: date-time
             *
             * When it replaced an earlier definition
             */
            accepted_at?: string;
            /** The definition that waits for approval */
            quarantined?: {
                digest: string;
                changed: string[];
                definition: {
                    [key: string]: unknown;
                };
                /** The approved definition; absent if it was not stored */
                pinned_definition?: {
                    [key: string]: unknown;
                };
            };
        };
        ProblemDetails: {
            type: string;
            title: string;
            status: number;
            detail: string;
            instance: string;
            code: "invalid_json" | "invalid_request" | "invalid_cursor" | "invalid_response" | "invalid_arguments" | "invalid_output_schema" | "unknown_price" | "invalid_model" | "unsupported_setting" | "unknown_agent" | "unknown_agent_version" | "unknown_artifact" | "unknown_thread" | "invalid_schedule" | "webhook_url_refused" | "unknown_server" | "unauthorized" | "forbidden_host" | "forbidden_origin" | "server_editing_off" | "server_editing_refused" | "method_not_allowed" | "route_not_found" | "server_not_found" | "resource_not_found" | "run_not_found" | "thread_not_found" | "model_not_found" | "agent_not_found" | "agent_version_not_found" | "tool_not_found" | "tool_call_not_found" | "artifact_not_found" | "approval_not_found" | "schedule_not_found" | "webhook_not_found" | "delivery_not_found" | "inbox_item_not_found" | "inbox_item_not_open" | "too_many_schedules" | "schedule_changed" | "too_many_webhooks" | "webhook_disabled" | "delivery_pending" | "server_not_editable" | "too_many_servers" | "login_unsupported" | "run_not_settled" | "run_not_resumable" | "invalid_fork" | "thread_busy" | "idempotency_key_reused" | "idempotency_key_in_use" | "response_erased" | "tool_quarantined" | "definition_changed" | "too_many_runs" | "run_rate_exceeded" | "too_many_streams" | "too_many_bodies" | "precondition_failed" | "precondition_required" | "payload_too_large" | "range_not_satisfiable" | "unsupported_media_type" | "too_many_attempts" | "login_failed" | "server_refused" | "server_unavailable" | "not_connected_here" | "internal_error" | "not_ready" | "storage_full" | "storage_broken" | "storage_lost" | "storage_busy" | "storage_unreachable" | "shutting_down";
            /** Whether the same request can succeed later */
            retryable: boolean;
            request_id: string;
            errors?: {
                /** JSON pointer into the request: /body/…, /query/…, /path/… or /header/… */
                path: string;
                message: string;
            }[];
        };
        PromptResult: {
            description?: string;
            messages: {
                [key: string]: unknown;
            }[];
        };
        Queue: {
            /** Runs that are not settled, by status */
            runs: {
                queued: number;
                running: number;
                input_required: number;
                cancelling: number;
            };
            /** Waiting jobs by type, delayed ones included; absent while the queue does not answer */
            jobs?: {
                [key: string]: number;
            };
        };
        Readiness: {
            status: "ready";
            /**
             * Set with REDIS_URL. Without Redis, new jobs wait in the store
             */
            redis?: "ready" | "unreachable";
        };
        RequestedTools: {
            /** Tools that the model may use; default: all tools of the servers; null instead of an inherited value */
            allow?: string[] | null;
            /** Tools that the model may not use, even if `allow` has them; null instead of an inherited value */
            deny?: string[] | null;
        };
        RequestedToolsInput: {
            /** Tools that the model may use; default: all tools of the servers; null instead of an inherited value */
            allow?: string[] | null;
            /** Tools that the model may not use, even if `allow` has them; null instead of an inherited value */
            deny?: string[] | null;
        };
        ResourceContentList: {
            /** With text, or blob in base64 */
            data: {
                [key: string]: unknown;
            }[];
        };
        ResourceUpdatedFrame: {
            type: "resource.updated";
            uri: string;
        };
        ResultPreview: {
            /** At most 4096 characters; the tool call has the whole result */
            text: string;
            truncated: boolean;
            is_error: boolean;
            /** Types of the content blocks other than text */
            other_content: string[];
        };
        ResumeRun: {
            /** New limits that replace those of the run */
            limits?: components["schemas"]["Limits"];
        };
        Run: {
            id: string;
            /**
             * call: one tool call without a model
             */
            kind: "agent" | "call";
            status: "queued" | "running" | "input_required" | "cancelling" | "completed" | "failed" | "cancelled" | "expired";
            status_reason?: string;
            /**
             * normal for kind call
             */
            priority: "high" | "normal" | "low";
            /** Name of the API key that created the run; anonymous without one */
            api_key: string;
            prompt: string;
            servers?: string[];
            /** Tools that the model may use, by wire name. Other tools are not offered, and a call of one fails */
            tools?: components["schemas"]["UsableTools"];
            /** Approval of calls by wire name; the first rule that matches applies. The stricter of it and the policy of the server decides, so `auto` never undoes an `ask` or a `deny` of the configuration */
            approvals?: components["schemas"]["ApprovalRule"][];
            /** Absent for kind call */
            provider?: string;
            /** Absent for kind call */
            model?: string;
            /** Whether scripts answer in place of a model */
            scripted: boolean;
            /** Present when the answers are scripted, or the limits of the model are assumed */
            notice?: string;
            /** Sampling temperature; default that of the model */
            temperature?: number;
            /** Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies */
            max_tokens?: number;
            /**
             * Reasoning effort; default that of the model
             */
            effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
            /**
             * required: the first message of the run must call a tool; none: no message may call one; default auto
             */
            tool_choice?: "auto" | "required" | "none";
            limits: components["schemas"]["RunLimits"];
            thread_id?: string;
            agent_id?: string;
            /** Version of the agent with which the run was started */
            agent_version?: number;
            instructions?: string;
            metadata: {
                [key: string]: string;
            };
            forked_from?: {
                run_id: string;
                turn: number;
            };
            last_seq: number;
            turns: number;
            tool_calls: number;
            usage?: components["schemas"]["Usage"];
            answer?: string;
            output_schema?: {
                [key: string]: unknown;
            };
            /** The answer as a value that conforms to output_schema */
            output?: unknown;
            error?: components["schemas"]["RunError"];
            /** The model call failed for a temporary reason and is retried; status_reason is model_unavailable */
            model_outage?: {
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                since: string;
                /** Consecutive failed attempts */
                attempts: number;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                next_attempt_at: string;
                /** Reason of the last failure */
                error: components["schemas"]["RunError"];
            };
            /** The oldest open inbox items of the run, at most 20; GET /v1/inbox?run_id= returns all */
            inbox: components["schemas"]["InboxItem"][];
            /**
             * Present in lists when prompt, instructions or answer is truncated to 1000 characters, or output or output_schema is left out; GET /v1/runs/{id} returns them in full
             */
            is_shortened?: true;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            started_at?: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            finished_at?: string;
        };
        /** The run was cancelled and all its calls ended. Last event */
        RunCancelledEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "run.cancelled";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The run was cancelled and all its calls ended. Last event */
            data: {
                reason?: string;
                /** Text that the run had produced so far */
                answer?: string;
            };
        };
        /** Cancellation was requested; the run waits until its calls have ended */
        RunCancellingEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "run.cancelling";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** Cancellation was requested; the run waits until its calls have ended */
            data: {
                reason?: string;
            };
        };
        /** The run has an answer. Last event */
        RunCompletedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "run.completed";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The run has an answer. Last event */
            data: {
                answer: string;
                /** The answer as a value that conforms to output_schema */
                output?: unknown;
                scripted: boolean;
            };
        };
        RunError: {
            /** Stable, snake_case */
            code: string;
            message: string;
        };
        /** A stored event of a run. Clients must ignore unknown types and fields */
        RunEvent: components["schemas"]["RunQueuedEvent"] | components["schemas"]["RunStartedEvent"] | components["schemas"]["RunInputRequiredEvent"] | components["schemas"]["RunResumedEvent"] | components["schemas"]["RunCancellingEvent"] | components["schemas"]["RunCompletedEvent"] | components["schemas"]["RunFailedEvent"] | components["schemas"]["RunCancelledEvent"] | components["schemas"]["RunExpiredEvent"] | components["schemas"]["TurnStartedEvent"] | components["schemas"]["TurnCompletedEvent"] | components["schemas"]["TurnInterruptedEvent"] | components["schemas"]["TurnOutputRejectedEvent"] | components["schemas"]["TurnFailedEvent"] | components["schemas"]["TurnCancelledEvent"] | components["schemas"]["MessageStartedEvent"] | components["schemas"]["MessageCompletedEvent"] | components["schemas"]["ToolCallPlannedEvent"] | components["schemas"]["ToolCallApprovalRequiredEvent"] | components["schemas"]["ToolCallApprovedEvent"] | components["schemas"]["ToolCallDispatchedEvent"] | components["schemas"]["ToolCallWaitingEvent"] | components["schemas"]["ToolCallWorkingEvent"] | components["schemas"]["ToolCallProgressEvent"] | components["schemas"]["ToolCallInputRequiredEvent"] | components["schemas"]["ToolCallResumedEvent"] | components["schemas"]["ToolCallRetryingEvent"] | components["schemas"]["ToolCallCompletedEvent"] | components["schemas"]["ToolCallFailedEvent"] | components["schemas"]["ToolCallCancelledEvent"] | components["schemas"]["ToolCallOutcomeUnknownEvent"] | components["schemas"]["InboxOpenedEvent"] | components["schemas"]["InboxAnsweredEvent"] | components["schemas"]["InboxDeliveredEvent"] | components["schemas"]["InboxCompletedEvent"] | components["schemas"]["InboxVoidEvent"] | components["schemas"]["InboxExpiredEvent"] | components["schemas"]["LimitWarningEvent"] | components["schemas"]["LimitExceededEvent"] | components["schemas"]["UsageUpdatedEvent"];
        RunEventPage: {
            data: components["schemas"]["RunEvent"][];
            last_seq: number;
            /** Pass as `cursor` for the next page */
            next_cursor?: string;
        };
        /** The wall clock limit ended the run. Last event unless the run is resumed */
        RunExpiredEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "run.expired";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The wall clock limit ended the run. Last event unless the run is resumed */
            data: {
                error: components["schemas"]["RunError"];
                /** Text that the run had produced so far */
                answer?: string;
            };
        };
        /** The run failed. Last event unless the run is resumed */
        RunFailedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "run.failed";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The run failed. Last event unless the run is resumed */
            data: {
                error: components["schemas"]["RunError"];
                /** Text that the run had produced so far */
                answer?: string;
            };
        };
        /** The run cannot continue before a person responds */
        RunInputRequiredEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "run.input_required";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The run cannot continue before a person responds */
            data: {
                /** The open inbox items */
                inbox_item_ids: string[];
            };
        };
        RunLimits: {
            /** Absent for kind call, as tool_calls, tokens, output_tokens, cost_usd and model_outage_ms are */
            turns?: number;
            tool_calls?: number;
            wall_clock_ms: number;
            call_inactivity_ms: number;
            call_max_ms: number;
            inbox_expiry_ms: number;
            tokens?: number;
            cost_usd?: number;
            output_tokens?: number;
            model_outage_ms?: number;
        };
        RunList: {
            data: components["schemas"]["Run"][];
            next_cursor?: string;
        };
        /**
         * @example {
         *       "metadata": {
         *         "reviewed": "yes",
         *         "draft": null
         *       }
         *     }
         */
        RunPatch: {
            /** Entries to set; null removes an entry; other entries are unchanged */
            metadata: {
                [key: string]: string | null;
            };
        };
        /** The run is stored. Always the first event */
        RunQueuedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "run.queued";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The run is stored. Always the first event */
            data: {
                prompt: string;
                servers?: string[];
                /** Absent for kind call */
                provider?: string;
                /** Absent for kind call */
                model?: string;
                scripted: boolean;
                limits: components["schemas"]["RunLimits"];
                /** Settings of the model calls; absent without any */
                model_settings?: {
                    /** Sampling temperature; default that of the model */
                    temperature?: number;
                    /** Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies */
                    max_tokens?: number;
                    /**
                     * Reasoning effort; default that of the model
                     */
                    effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
                    /**
                     * required: the first message of the run must call a tool; none: no message may call one; default auto
                     */
                    tool_choice?: "auto" | "required" | "none";
                };
                /** Tools that the model may use, by wire name. Other tools are not offered, and a call of one fails */
                tools?: components["schemas"]["UsableTools"];
                /** Approval of calls by wire name; the first rule that matches applies. The stricter of it and the policy of the server decides, so `auto` never undoes an `ask` or a `deny` of the configuration */
                approvals?: components["schemas"]["ApprovalRule"][];
                kind: "agent" | "call";
                thread_id?: string;
                agent_id?: string;
                agent_version?: number;
                forked_from?: {
                    run_id: string;
                    turn: number;
                };
            };
        };
        /** The run is running again */
        RunResumedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "run.resumed";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The run is running again */
            data: {
                /**
                 * requested: the run had ended, and its earlier error and answer are void
                 */
                reason: "inbox_closed" | "process_restarted" | "requested";
            };
        };
        /** The current state of the run. First frame of every stream; has no id */
        RunSnapshotFrame: {
            type: "run.snapshot";
            run_id: string;
            run: components["schemas"]["Run"];
            /** The unfinished message, with its text so far */
            partial?: {
                message_id: string;
                text: string;
            };
        };
        /** A worker started the run */
        RunStartedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "run.started";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** A worker started the run */
            data: {
                provider?: string;
                model?: string;
                scripted: boolean;
                notice?: string;
            };
        };
        /** The JSON after `data:` of one server-sent event; its `type` is also the `event:` line, and the `seq` of a stored event is the `id:` line */
        RunStreamFrame: components["schemas"]["RunSnapshotFrame"] | components["schemas"]["MessageDeltaFrame"] | components["schemas"]["StreamGapFrame"] | components["schemas"]["RunQueuedEvent"] | components["schemas"]["RunStartedEvent"] | components["schemas"]["RunInputRequiredEvent"] | components["schemas"]["RunResumedEvent"] | components["schemas"]["RunCancellingEvent"] | components["schemas"]["RunCompletedEvent"] | components["schemas"]["RunFailedEvent"] | components["schemas"]["RunCancelledEvent"] | components["schemas"]["RunExpiredEvent"] | components["schemas"]["TurnStartedEvent"] | components["schemas"]["TurnCompletedEvent"] | components["schemas"]["TurnInterruptedEvent"] | components["schemas"]["TurnOutputRejectedEvent"] | components["schemas"]["TurnFailedEvent"] | components["schemas"]["TurnCancelledEvent"] | components["schemas"]["MessageStartedEvent"] | components["schemas"]["MessageCompletedEvent"] | components["schemas"]["ToolCallPlannedEvent"] | components["schemas"]["ToolCallApprovalRequiredEvent"] | components["schemas"]["ToolCallApprovedEvent"] | components["schemas"]["ToolCallDispatchedEvent"] | components["schemas"]["ToolCallWaitingEvent"] | components["schemas"]["ToolCallWorkingEvent"] | components["schemas"]["ToolCallProgressEvent"] | components["schemas"]["ToolCallInputRequiredEvent"] | components["schemas"]["ToolCallResumedEvent"] | components["schemas"]["ToolCallRetryingEvent"] | components["schemas"]["ToolCallCompletedEvent"] | components["schemas"]["ToolCallFailedEvent"] | components["schemas"]["ToolCallCancelledEvent"] | components["schemas"]["ToolCallOutcomeUnknownEvent"] | components["schemas"]["InboxOpenedEvent"] | components["schemas"]["InboxAnsweredEvent"] | components["schemas"]["InboxDeliveredEvent"] | components["schemas"]["InboxCompletedEvent"] | components["schemas"]["InboxVoidEvent"] | components["schemas"]["InboxExpiredEvent"] | components["schemas"]["LimitWarningEvent"] | components["schemas"]["LimitExceededEvent"] | components["schemas"]["UsageUpdatedEvent"];
        SamplingApprovalItem: {
            id: string;
            run_id: string;
            call_id?: string;
            state: "open" | "answered" | "delivered" | "void" | "expired";
            response?: components["schemas"]["StoredInboxResponse"];
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            expires_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            answered_at?: string;
            /** For elicitation_form: its fields, with titles, defaults and choices. Absent when is_shortened */
            fields?: components["schemas"]["FormField"][];
            /**
             * Present in lists, runs and snapshots when long parts of request or response are truncated or empty; GET /v1/inbox/{id} returns them in full
             */
            is_shortened?: true;
            kind: "sampling_approval";
            request: components["schemas"]["SamplingApprovalRequest"];
        };
        /** The server requests a model call. Respond with approve or deny */
        SamplingApprovalRequest: {
            /** MCP server of the call */
            server: string;
            tool: string;
            /** The wire name, server__tool */
            name: string;
            /** MCP sampling messages */
            messages: {
                [key: string]: unknown;
            }[];
            system_prompt?: string;
            max_tokens: number;
            model_preferences?: {
                [key: string]: unknown;
            };
            model: string;
            tools?: {
                [key: string]: unknown;
            }[];
        };
        SamplingReplyItem: {
            id: string;
            run_id: string;
            call_id?: string;
            state: "open" | "answered" | "delivered" | "void" | "expired";
            response?: components["schemas"]["StoredInboxResponse"];
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            expires_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            answered_at?: string;
            /** For elicitation_form: its fields, with titles, defaults and choices. Absent when is_shortened */
            fields?: components["schemas"]["FormField"][];
            /**
             * Present in lists, runs and snapshots when long parts of request or response are truncated or empty; GET /v1/inbox/{id} returns them in full
             */
            is_shortened?: true;
            kind: "sampling_reply";
            request: components["schemas"]["SamplingReplyRequest"];
        };
        /** The reply of the model, before it is sent to the server. Respond with approve or deny */
        SamplingReplyRequest: {
            /** MCP server of the call */
            server: string;
            tool: string;
            /** The wire name, server__tool */
            name: string;
            text: string;
            model: string;
            stop_reason?: string;
            /** Content blocks of a reply with tool calls */
            content?: {
                [key: string]: unknown;
            }[];
        };
        Schedule: {
            id: string;
            /** Name of the API key that created the schedule, to which its runs belong */
            api_key: string;
            name?: string;
            cron: string;
            time_zone: string;
            /** The run to start, as it was given */
            run: {
                /** The task, in plain words */
                prompt: string;
                /** Names of the MCP servers whose tools may be used; default: all */
                servers?: string[];
                /** provider/model, or the id or alias of a model that one provider offers (GET /v1/models); default: the configured model */
                model?: string;
                /** Tools that the model may use, by wire name. Other tools are not offered, and a call of one fails; null instead of inherited values */
                tools?: components["schemas"]["RequestedTools"] | null;
                /** Approval of calls by wire name; the first rule that matches applies. The stricter of it and the policy of the server decides, so `auto` never undoes an `ask` or a `deny` of the configuration; null instead of an inherited value */
                approvals?: components["schemas"]["ApprovalRule"][] | null;
                /** Sampling temperature; default that of the model; null instead of an inherited value */
                temperature?: number | null;
                /** Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies; null instead of an inherited value */
                max_tokens?: number | null;
                /** Reasoning effort; default that of the model; null instead of an inherited value */
                effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max") | null;
                /** required: the first message of the run must call a tool; none: no message may call one; default auto; null instead of an inherited value */
                tool_choice?: ("auto" | "required" | "none") | null;
                limits?: {
                    /** Model calls; default 50 */
                    turns?: number;
                    /** Tool calls; default 200 */
                    tool_calls?: number;
                    /** Milliseconds from the start of the run; default 14400000 */
                    wall_clock_ms?: number;
                    /** Milliseconds from the first failed attempt of a model call until the run gives up; default the wall clock limit */
                    model_outage_ms?: number;
                    /** Milliseconds without progress of one tool call, excluding the time spent waiting for user input; default 120000 */
                    call_inactivity_ms?: number;
                    /** Milliseconds of one tool call, excluding the time spent waiting for user input; default 1800000 */
                    call_max_ms?: number;
                    /** Milliseconds until an open inbox item expires; default 86400000 */
                    inbox_expiry_ms?: number;
                    /** Input and output tokens of all model calls; default no limit */
                    tokens?: number;
                    /** Output tokens of one model call, including thinking; default the maximum of the model */
                    output_tokens?: number;
                    /** US dollars of all model calls; refused for a model without a known price; default no limit */
                    cost_usd?: number;
                };
                /** Added to the instructions of every run */
                instructions?: string;
                /**
                 * Order in which waiting runs begin; a run in progress is never interrupted; default normal
                 */
                priority?: "high" | "normal" | "low";
                /** Metadata that the client attaches: at most 16 entries, names of at most 64 characters, values of at most 512 */
                metadata?: {
                    [key: string]: string;
                };
                /** JSON Schema of an object that the answer must conform to; after one failed repair attempt the run fails with invalid_output */
                output_schema?: {
                    [key: string]: unknown;
                };
                /** Id of a stored agent, whose fields apply unless the run sets them */
                agent_id?: string;
                /** Version of the agent; default: the current one when the run is stored */
                agent_version?: number;
                /** Id of a thread; the run begins with the messages of its settled runs */
                thread_id?: string;
            };
            on_busy: "skip" | "queue";
            enabled: boolean;
            /**
             * Format: date-time
             *
             * Next time; absent while the schedule is disabled, or if there is none
             */
            next_at?: string;
            last_run?: {
                /**
                 * Format: date-time
                 *
                 * Last time of the schedule that was decided about
                 */
                scheduled_at: string;
                /**
                 * skipped: the previous run was not settled, or `error` has the limit of the API key that refused the run; failed: `error` has the reason
                 */
                outcome: "started" | "skipped" | "failed";
                /** The last run that was started */
                run_id?: string;
                error?: string;
            };
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            updated_at: string;
        };
        ScheduleList: {
            data: components["schemas"]["Schedule"][];
            next_cursor?: string;
        };
        SchedulePatch: {
            /** null removes the name */
            name?: string | null;
            /** Five fields: minute, hour, day of month, month, weekday, such as `0 9 * * MON-FRI`; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly` */
            cron?: string;
            /** IANA name such as Europe/Berlin; default UTC */
            time_zone?: string;
            /** The run to start, as in POST /v1/runs. Its metadata gets `schedule_id` and `scheduled_at` */
            run?: {
                /** The task, in plain words */
                prompt: string;
                /** Names of the MCP servers whose tools may be used; default: all */
                servers?: string[];
                /** provider/model, or the id or alias of a model that one provider offers (GET /v1/models); default: the configured model */
                model?: string;
                /** Tools that the model may use, by wire name. Other tools are not offered, and a call of one fails; null instead of inherited values */
                tools?: components["schemas"]["RequestedToolsInput"] | null;
                /** Approval of calls by wire name; the first rule that matches applies. The stricter of it and the policy of the server decides, so `auto` never undoes an `ask` or a `deny` of the configuration; null instead of an inherited value */
                approvals?: components["schemas"]["ApprovalRuleInput"][] | null;
                /** Sampling temperature; default that of the model; null instead of an inherited value */
                temperature?: number | null;
                /** Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies; null instead of an inherited value */
                max_tokens?: number | null;
                /** Reasoning effort; default that of the model; null instead of an inherited value */
                effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max") | null;
                /** required: the first message of the run must call a tool; none: no message may call one; default auto; null instead of an inherited value */
                tool_choice?: ("auto" | "required" | "none") | null;
                limits?: components["schemas"]["Limits"];
                /** Added to the instructions of every run */
                instructions?: string;
                /**
                 * Order in which waiting runs begin; a run in progress is never interrupted; default normal
                 */
                priority?: "high" | "normal" | "low";
                /** Metadata that the client attaches: at most 16 entries, names of at most 64 characters, values of at most 512 */
                metadata?: {
                    [key: string]: string;
                };
                /** JSON Schema of an object that the answer must conform to; after one failed repair attempt the run fails with invalid_output */
                output_schema?: {
                    [key: string]: unknown;
                };
                /** Id of a stored agent, whose fields apply unless the run sets them */
                agent_id?: string;
                /** Version of the agent; default: the current one when the run is stored */
                agent_version?: number;
                /** Id of a thread; the run begins with the messages of its settled runs */
                thread_id?: string;
            };
            /**
             * Action at a time at which the previous run of the schedule is not settled, or the API key of the schedule has used up runs_per_minute: skip (the time is left out) or queue (the run starts when the previous one is settled and the rate allows it; later times meanwhile are left out); default skip
             */
            on_busy?: "skip" | "queue";
            /** Whether runs are started; default true */
            enabled?: boolean;
        };
        /**
         * @example {
         *       "overlap_seconds": 3600
         *     }
         */
        SecretRotation: {
            /**
             * Seconds for which requests are also signed with the secret before this one; 0 ends it and earlier ones at once
             * @default 86400
             */
            overlap_seconds: number;
        };
        Server: {
            name: string;
            /** Name in the configuration, if different */
            configured_name?: string;
            transport: "stdio" | "http" | "sse";
            /**
             * needs_login: the server refuses the service until a person logs in; invalid: its configuration is invalid, and `error` has the reason
             */
            state: "connecting" | "ready" | "needs_login" | "failed" | "draining" | "drained" | "closed" | "invalid";
            /** Present with needs_login, and while calls of a ready server need more scopes. POST /v1/servers/{name}/login begins the login */
            login?: components["schemas"]["NeededLogin"];
            /**
             * degraded: ready, but calls are blocked or tools are quarantined
             */
            health: "ok" | "degraded" | "down";
            /**
             * open: the server does not respond, so no call is sent until opens_again_at; half_open: one trial call is sent
             */
            breaker: "closed" | "open" | "half_open";
            /** Consecutive unanswered calls within a minute */
            breaker_failures: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            opens_again_at?: string;
            era?: "legacy" | "modern";
            protocol_version?: string;
            server_info?: {
                name: string;
                version: string;
            };
            tool_count: number;
            /** Tools that changed since they were first seen; not offered before a person approves the change */
            quarantined: string[];
            /** Paths of the directories that the server gets as roots */
            roots: string[];
            warnings: string[];
            error?: string;
            pid?: number;
            /** Processes or sessions of the server; several for a legacy server that sends input requests */
            connections: {
                pid?: number;
                /** Calls in flight */
                calls: number;
                run_ids: string[];
                /** Open input requests of the server */
                open_questions: number;
                /** Why the connection takes no new calls and is closed when it is idle */
                retiring?: string;
            }[];
            /** Calls that wait for a connection */
            waiting_calls: {
                run_id: string;
                call_id?: string;
                reason: "connections_busy" | "connection_opening" | "server_restarting" | "question_held" | "rate_limited";
                message: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                since: string;
            }[];
            /** Present while calls wait because the server has reached its `callsPerMinute` */
            rate_limited?: {
                /** Calls that wait for their turn, of all processes */
                calls: number;
                /**
                 * Format: date-time
                 *
                 * When the next of them is expected to be sent
                 */
                next_at: string;
            };
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            since: string;
            restarts: number;
            /** Present where the API may change servers */
            definition?: {
                /**
                 * Where the server is defined: the configuration file, the API, or the command line
                 */
                source: "configuration" | "api" | "command_line";
                /** Whether the API may change and remove the server */
                editable: boolean;
            };
            /** State on each worker, in a process with `--role api`; the other fields describe the worker with the best state */
            workers?: {
                id: string;
                state: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                since: string;
                error?: string;
            }[];
        };
        /** The JSON after `data:` of one server-sent event; its `type` is also the `event:` line */
        ServerChangeFrame: components["schemas"]["ResourceUpdatedFrame"] | components["schemas"]["ServerNoticeFrame"];
        ServerDefinition: {
            /**
             * Default with command: stdio; with url: http, and sse if the server rejects it
             */
            type?: "stdio" | "http" | "sse";
            /** The program that is started */
            command?: string;
            args?: string[];
            env?: {
                [key: string]: string;
            };
            /** Relative to this file; default: the folder where signalbox was started */
            cwd?: string;
            /** A file of NAME=value lines, relative to this file; env overrides it */
            envFile?: string;
            /** The address of a server that runs elsewhere */
            url?: string;
            /** Sent with every request to url */
            headers?: {
                [key: string]: string;
            };
            signalbox?: {
                /** Whether the hints of the server's tools count; default false */
                trust?: boolean;
                /** Patterns of tool names that are offered (* matches any characters); default all */
                allow?: string[];
                /** Patterns of tool names that are not offered */
                deny?: string[];
                /** Directories announced to the server as its roots */
                roots?: string[];
                /**
                 * Pins the protocol era; default auto
                 */
                era?: "auto" | "legacy" | "modern";
                /**
                 * default: read-only tools of a trusted server run, all others ask
                 */
                approval?: "default" | "auto" | "ask" | "deny";
                /** Rules by pattern of tool names; the first matching rule applies, before approval */
                approvals?: {
                    tools: string;
                    policy: "auto" | "ask" | "deny";
                }[];
                /**
                 * Whether the server may use the model; default ask
                 */
                sampling?: "auto" | "ask" | "deny";
                /** Maximum number of open processes or sessions, for a legacy server that sends input requests; default 4; 1 for a server that must not be started twice */
                connections?: number;
                /** Whether all workers of the service share one connection, which one of them owns; default false; connections is then 1 */
                singleton?: boolean;
                /** Milliseconds the server has to connect; default 60000 */
                connectMs?: number;
                /** Maximum number of tool calls that are sent within a minute, by all processes of the service; others wait; default no limit */
                callsPerMinute?: number;
                /** Whether a person sees the model's reply before the server receives it; default false */
                samplingReview?: boolean;
                /** The longest message of the server, in bytes; default 4194304 */
                maxMessageBytes?: number;
                /** Authorization by OAuth at a server with url; not beside a header Authorization */
                auth?: {
                    /** Issuer of the authorization server, exactly as in its metadata */
                    issuer?: string;
                    /** A client that is registered at issuer; default: the service registers itself */
                    clientId?: string;
                    /** Write ${NAME} for the value of an environment variable */
                    clientSecret?: string;
                    /** Private key in PEM (PKCS #8) for private_key_jwt, relative to this file */
                    privateKeyFile?: string;
                    /**
                     * Authentication at the token endpoint; default by what the client has
                     */
                    authMethod?: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
                    /** Scopes to request beside those that the server demands; default those that it lists, if it demands none */
                    scopes?: string[];
                    /**
                     * Party that authorizes the service; default user, a person who logs in
                     */
                    grant?: "user" | "client-credentials" | "jwt-bearer" | "enterprise-managed";
                    /** File with a signed JWT for jwt-bearer, such as a projected service account token */
                    assertionFile?: string;
                    /** File with the ID token of the user for enterprise-managed */
                    idTokenFile?: string;
                    /** Client of the service at the identity provider, for enterprise-managed */
                    identityProvider?: {
                        /** Issuer of the authorization server, exactly as in its metadata */
                        issuer: string;
                        clientId: string;
                        /** Write ${NAME} for the value of an environment variable */
                        clientSecret?: string;
                        /** Private key in PEM (PKCS #8) for private_key_jwt, relative to this file */
                        privateKeyFile?: string;
                        /**
                         * Authentication at the token endpoint; default by what the client has
                         */
                        authMethod?: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
                    };
                };
            };
        } & {
            [key: string]: unknown;
        };
        ServerDefinitionInput: {
            /**
             * Default with command: stdio; with url: http, and sse if the server rejects it
             */
            type?: "stdio" | "http" | "sse";
            /** The program that is started */
            command?: string;
            args?: string[];
            env?: {
                [key: string]: string;
            };
            /** Relative to this file; default: the folder where signalbox was started */
            cwd?: string;
            /** A file of NAME=value lines, relative to this file; env overrides it */
            envFile?: string;
            /** The address of a server that runs elsewhere */
            url?: string;
            /** Sent with every request to url */
            headers?: {
                [key: string]: string;
            };
            signalbox?: {
                /** Whether the hints of the server's tools count; default false */
                trust?: boolean;
                /** Patterns of tool names that are offered (* matches any characters); default all */
                allow?: string[];
                /** Patterns of tool names that are not offered */
                deny?: string[];
                /** Directories announced to the server as its roots */
                roots?: string[];
                /**
                 * Pins the protocol era; default auto
                 */
                era?: "auto" | "legacy" | "modern";
                /**
                 * default: read-only tools of a trusted server run, all others ask
                 */
                approval?: "default" | "auto" | "ask" | "deny";
                /** Rules by pattern of tool names; the first matching rule applies, before approval */
                approvals?: {
                    tools: string;
                    policy: "auto" | "ask" | "deny";
                }[];
                /**
                 * Whether the server may use the model; default ask
                 */
                sampling?: "auto" | "ask" | "deny";
                /** Maximum number of open processes or sessions, for a legacy server that sends input requests; default 4; 1 for a server that must not be started twice */
                connections?: number;
                /** Whether all workers of the service share one connection, which one of them owns; default false; connections is then 1 */
                singleton?: boolean;
                /** Milliseconds the server has to connect; default 60000 */
                connectMs?: number;
                /** Maximum number of tool calls that are sent within a minute, by all processes of the service; others wait; default no limit */
                callsPerMinute?: number;
                /** Whether a person sees the model's reply before the server receives it; default false */
                samplingReview?: boolean;
                /** The longest message of the server, in bytes; default 4194304 */
                maxMessageBytes?: number;
                /** Authorization by OAuth at a server with url; not beside a header Authorization */
                auth?: {
                    /** Issuer of the authorization server, exactly as in its metadata */
                    issuer?: string;
                    /** A client that is registered at issuer; default: the service registers itself */
                    clientId?: string;
                    /** Write ${NAME} for the value of an environment variable */
                    clientSecret?: string;
                    /** Private key in PEM (PKCS #8) for private_key_jwt, relative to this file */
                    privateKeyFile?: string;
                    /**
                     * Authentication at the token endpoint; default by what the client has
                     */
                    authMethod?: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
                    /** Scopes to request beside those that the server demands; default those that it lists, if it demands none */
                    scopes?: string[];
                    /**
                     * Party that authorizes the service; default user, a person who logs in
                     */
                    grant?: "user" | "client-credentials" | "jwt-bearer" | "enterprise-managed";
                    /** File with a signed JWT for jwt-bearer, such as a projected service account token */
                    assertionFile?: string;
                    /** File with the ID token of the user for enterprise-managed */
                    idTokenFile?: string;
                    /** Client of the service at the identity provider, for enterprise-managed */
                    identityProvider?: {
                        /** Issuer of the authorization server, exactly as in its metadata */
                        issuer: string;
                        clientId: string;
                        /** Write ${NAME} for the value of an environment variable */
                        clientSecret?: string;
                        /** Private key in PEM (PKCS #8) for private_key_jwt, relative to this file */
                        privateKeyFile?: string;
                        /**
                         * Authentication at the token endpoint; default by what the client has
                         */
                        authMethod?: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
                    };
                };
            };
        } & {
            [key: string]: unknown;
        };
        ServerDetail: {
            name: string;
            /** Name in the configuration, if different */
            configured_name?: string;
            transport: "stdio" | "http" | "sse";
            /**
             * needs_login: the server refuses the service until a person logs in; invalid: its configuration is invalid, and `error` has the reason
             */
            state: "connecting" | "ready" | "needs_login" | "failed" | "draining" | "drained" | "closed" | "invalid";
            /** Present with needs_login, and while calls of a ready server need more scopes. POST /v1/servers/{name}/login begins the login */
            login?: components["schemas"]["NeededLogin"];
            /**
             * degraded: ready, but calls are blocked or tools are quarantined
             */
            health: "ok" | "degraded" | "down";
            /**
             * open: the server does not respond, so no call is sent until opens_again_at; half_open: one trial call is sent
             */
            breaker: "closed" | "open" | "half_open";
            /** Consecutive unanswered calls within a minute */
            breaker_failures: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            opens_again_at?: string;
            era?: "legacy" | "modern";
            protocol_version?: string;
            server_info?: {
                name: string;
                version: string;
            };
            tool_count: number;
            /** Tools that changed since they were first seen; not offered before a person approves the change */
            quarantined: string[];
            /** Paths of the directories that the server gets as roots */
            roots: string[];
            warnings: string[];
            error?: string;
            pid?: number;
            /** Processes or sessions of the server; several for a legacy server that sends input requests */
            connections: {
                pid?: number;
                /** Calls in flight */
                calls: number;
                run_ids: string[];
                /** Open input requests of the server */
                open_questions: number;
                /** Why the connection takes no new calls and is closed when it is idle */
                retiring?: string;
            }[];
            /** Calls that wait for a connection */
            waiting_calls: {
                run_id: string;
                call_id?: string;
                reason: "connections_busy" | "connection_opening" | "server_restarting" | "question_held" | "rate_limited";
                message: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                since: string;
            }[];
            /** Present while calls wait because the server has reached its `callsPerMinute` */
            rate_limited?: {
                /** Calls that wait for their turn, of all processes */
                calls: number;
                /**
                 * Format: date-time
                 *
                 * When the next of them is expected to be sent
                 */
                next_at: string;
            };
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            since: string;
            restarts: number;
            /** Present where the API may change servers */
            definition?: {
                /**
                 * Where the server is defined: the configuration file, the API, or the command line
                 */
                source: "configuration" | "api" | "command_line";
                /** Whether the API may change and remove the server */
                editable: boolean;
            };
            /** State on each worker, in a process with `--role api`; the other fields describe the worker with the best state */
            workers?: {
                id: string;
                state: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                since: string;
                error?: string;
            }[];
            instructions?: string;
            capabilities?: {
                [key: string]: unknown;
            };
            pins: components["schemas"]["PinnedTool"][];
            /** Authorization server and time of the last login; absent after a logout */
            logged_in?: {
                issuer: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                at: string;
            };
        };
        ServerList: {
            data: components["schemas"]["Server"][];
            next_cursor?: string;
            /**
             * Servers that the API may add, change and remove: none, those with a URL, or also commands
             */
            editing: "off" | "remote" | "all";
        };
        ServerLog: {
            lines: {
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                at: string;
                level: "debug" | "info" | "warn";
                /** At most 2,000 characters */
                text: string;
            }[];
        };
        ServerLoginItem: {
            id: string;
            run_id: string;
            call_id?: string;
            state: "open" | "answered" | "delivered" | "void" | "expired";
            response?: components["schemas"]["StoredInboxResponse"];
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            expires_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            answered_at?: string;
            /** For elicitation_form: its fields, with titles, defaults and choices. Absent when is_shortened */
            fields?: components["schemas"]["FormField"][];
            /**
             * Present in lists, runs and snapshots when long parts of request or response are truncated or empty; GET /v1/inbox/{id} returns them in full
             */
            is_shortened?: true;
            kind: "server_login";
            request: components["schemas"]["ServerLoginRequest"];
        };
        /** The server of a call, or a server that the run names, needs a login: POST /v1/servers/{server}/login. The login answers the item. Respond with retry after a login elsewhere, or with decline to continue without the server */
        ServerLoginRequest: {
            /** MCP server of the call */
            server: string;
            /** Tool of the call that waits, if it is one call */
            tool?: string;
            /** The wire name, server__tool */
            name?: string;
            message: string;
            /** Authorization server at which a person logs in */
            issuer: string;
            resource: string;
            /** Scopes that the login will request */
            scopes: string[];
            /** Scopes that the refused request needs */
            required_scopes: string[];
            /**
             * no_tokens: nobody has logged in; tokens_refused: the server refuses the tokens; refresh_refused: the authorization server ended the last login; insufficient_scope: the server needs more scopes
             */
            reason: "no_tokens" | "tokens_refused" | "refresh_refused" | "insufficient_scope";
            methods: ("browser" | "device")[];
        };
        ServerMode: {
            /**
             * graceful: after the calls in flight have ended, without new calls; now: at once, so that calls in flight are lost
             * @default graceful
             */
            mode: "graceful" | "now";
        };
        /** missed: the server was restarted, so any feature may have changed */
        ServerNoticeFrame: {
            type: "subscribed" | "missed" | "tools.changed" | "prompts.changed" | "resources.changed";
        };
        ServerRoots: {
            /** Absolute paths or file: URLs */
            roots: string[];
        };
        StartedLogin: {
            /**
             * browser: by a redirect; device: by a code that is entered on any device
             */
            method: "browser" | "device";
            /** Address that the person opens: https, or http at a loopback address */
            url: string;
            /** For device: the code that the person enters there */
            user_code?: string;
            /** For device: the address with the code in it */
            complete_url?: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            expires_at: string;
        };
        Stats: {
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            from: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            to: string;
            /** Seconds */
            interval: number;
            /** Every interval, oldest first */
            intervals: components["schemas"]["StatsInterval"][];
            total: {
                /** Created in the time span */
                runs: number;
                completed: number;
                failed: number;
                cancelled: number;
                expired: number;
                /** Model calls with their tool calls */
                turns: number;
                tool_calls: number;
                input_tokens: number;
                output_tokens: number;
                /** Cost of the runs whose price is known */
                cost_usd: number;
                /** Milliseconds; absent without a value */
                queued_ms?: {
                    p50: number;
                    p95: number;
                };
                /** Milliseconds; absent without a value */
                duration_ms?: {
                    p50: number;
                    p95: number;
                };
                /** Milliseconds of the completed model calls that began in the time span, by the time they began */
                turn_ms?: {
                    p50: number;
                    p95: number;
                };
                /** Milliseconds from the sending to the end of the tool calls that succeeded or failed, by the time they were sent, with the time their servers waited for a person */
                call_ms?: {
                    p50: number;
                    p95: number;
                };
            };
            /** Runs with tokens whose cost is not known */
            unpriced_runs: number;
            /** The 20 models with the most tokens */
            models: {
                /** provider/model */
                model: string;
                runs: number;
                input_tokens: number;
                output_tokens: number;
                cost_usd: number;
            }[];
            /** The 20 most frequent error codes of runs */
            errors: {
                code: string;
                runs: number;
            }[];
            /**
             * Format: date-time
             *
             * Present if there are more runs than are counted; the older ones are left out
             */
            counted_from?: string;
            /**
             * Format: date-time
             *
             * Present if there are more model calls or tool calls than are measured; the older ones are left out of `turn_ms` and `call_ms`
             */
            latencies_from?: string;
        };
        StatsInterval: {
            /**
             * Format: date-time
             *
             * Start of the interval
             */
            at: string;
            /** Created in the time span */
            runs: number;
            completed: number;
            failed: number;
            cancelled: number;
            expired: number;
            /** Model calls with their tool calls */
            turns: number;
            tool_calls: number;
            input_tokens: number;
            output_tokens: number;
            /** Cost of the runs whose price is known */
            cost_usd: number;
            /** Milliseconds from the creation to the start of a run */
            queued_ms?: {
                p50: number;
                p95: number;
            };
            /** Milliseconds from the start to the end of a run, without the time spent waiting for a person */
            duration_ms?: {
                p50: number;
                p95: number;
            };
            /** Milliseconds of the completed model calls that began in the time span, by the time they began */
            turn_ms?: {
                p50: number;
                p95: number;
            };
            /** Milliseconds from the sending to the end of the tool calls that succeeded or failed, by the time they were sent, with the time their servers waited for a person */
            call_ms?: {
                p50: number;
                p95: number;
            };
        };
        StoredInboxResponse: {
            action: "approve" | "deny" | "accept" | "decline" | "cancel" | "retry" | "mark_done" | "fail";
            content?: {
                [key: string]: unknown;
            };
            arguments?: {
                [key: string]: unknown;
            };
            remember?: "call" | "run" | "thread";
            remembered_approval_id?: string;
            note?: string;
        };
        /** message.delta frames were dropped because the reader was too slow; a run.snapshot follows; has no id */
        StreamGapFrame: {
            type: "stream.gap";
            run_id: string;
            reason: "slow_reader";
        };
        Thread: {
            id: string;
            title?: string;
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * Time of the last change of the thread or added run
             */
            updated_at: string;
        };
        ThreadList: {
            data: components["schemas"]["Thread"][];
            next_cursor?: string;
        };
        ThreadPatch: {
            /** null removes the title */
            title?: string | null;
            /** Entries to set; null removes an entry; other entries are unchanged */
            metadata?: {
                [key: string]: string | null;
            };
        };
        Tool: {
            /** The wire name, server__tool */
            name: string;
            server: string;
            tool: string;
            title?: string;
            description: string;
            input_schema: {
                [key: string]: unknown;
            };
            output_schema?: {
                [key: string]: unknown;
            };
            annotations: {
                [key: string]: unknown;
            };
            trusted: boolean;
        };
        ToolApprovalItem: {
            id: string;
            run_id: string;
            call_id?: string;
            state: "open" | "answered" | "delivered" | "void" | "expired";
            response?: components["schemas"]["StoredInboxResponse"];
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            expires_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            answered_at?: string;
            /** For elicitation_form: its fields, with titles, defaults and choices. Absent when is_shortened */
            fields?: components["schemas"]["FormField"][];
            /**
             * Present in lists, runs and snapshots when long parts of request or response are truncated or empty; GET /v1/inbox/{id} returns them in full
             */
            is_shortened?: true;
            kind: "tool_approval";
            request: components["schemas"]["ToolApprovalRequest"];
        };
        /** Respond with approve or deny */
        ToolApprovalRequest: {
            /** MCP server of the call */
            server: string;
            tool: string;
            /** The wire name, server__tool */
            name: string;
            arguments: {
                [key: string]: unknown;
            };
            /** Arguments of the model, if a person changed them */
            model_arguments?: {
                [key: string]: unknown;
            };
            description: string;
            annotations: {
                [key: string]: unknown;
            };
            /** Whether the configuration trusts the annotations of this server */
            trusted: boolean;
            /**
             * Whether the configuration requires the approval, or only a rule of the run
             */
            required_by?: "configuration" | "run";
            /** Allowed scopes of the approval */
            remember: ("call" | "run" | "thread")[];
            /** Why an approved call needs an approval again */
            reason?: string;
        };
        ToolCall: {
            id: string;
            run_id: string;
            turn: number;
            /** The wire name, server__tool */
            name: string;
            /** Absent for tools of the service itself and for unknown tools */
            server?: string;
            tool: string;
            arguments: {
                [key: string]: unknown;
            };
            state: "planned" | "awaiting_approval" | "dispatched" | "input_required" | "working" | "succeeded" | "failed" | "cancelled" | "unknown";
            /** Present while the call waits for a connection to its server or for its turn in the rate limit of the server. A call that is `planned` was not sent */
            waiting?: {
                reason: "connections_busy" | "connection_opening" | "server_restarting" | "question_held" | "rate_limited";
                message: string;
                /**
                 * Format: date-time
                 *
                 * UTC, ISO 8601
                 */
                since: string;
            };
            attempt: number;
            idempotency_key: string;
            result?: unknown;
            /** Present if the text of the result is longer than 64 KiB: the artifact with the full text */
            artifact_id?: string;
            error?: string;
            cancel?: "sent" | "delivered" | "confirmed" | "failed";
            /**
             * Present in lists when long parts of arguments or result are truncated, empty or left out; GET /v1/runs/{id}/tool-calls/{call_id} returns them in full
             */
            is_shortened?: true;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            finished_at?: string;
        };
        /** The call needs a new approval because it changed since the last approval */
        ToolCallApprovalRequiredEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.approval_required";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The call needs a new approval because it changed since the last approval */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
                reason: string;
            };
        };
        /** A person approved the call */
        ToolCallApprovedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.approved";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** A person approved the call */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
                is_edited: boolean;
                /** Arguments after an edit */
                arguments?: {
                    [key: string]: unknown;
                };
                remember: "call" | "run" | "thread";
                remembered_approval_id?: string;
            };
        };
        /** The call was cancelled */
        ToolCallCancelledEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.cancelled";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The call was cancelled */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
                /**
                 * Progress of the cancellation
                 */
                cancel?: "sent" | "delivered" | "confirmed" | "failed";
                /**
                 * Whether the tool may have had an effect
                 */
                outcome: "not_sent" | "harmless" | "stopped" | "unknown";
            };
        };
        /** The call succeeded */
        ToolCallCompletedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.completed";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The call succeeded */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
                result: components["schemas"]["ResultPreview"];
            };
        };
        /** The call is being sent to the server */
        ToolCallDispatchedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.dispatched";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The call is being sent to the server */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
                server?: string;
                tool?: string;
            };
        };
        /** The call failed or was refused */
        ToolCallFailedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.failed";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The call failed or was refused */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
                message: string;
                result: components["schemas"]["ResultPreview"];
            };
        };
        /** The server sent an input request during the call */
        ToolCallInputRequiredEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.input_required";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The server sent an input request during the call */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
                inbox_item_id: string;
            };
        };
        ToolCallList: {
            data: components["schemas"]["ToolCall"][];
            next_cursor?: string;
        };
        /** The call was sent and its result was lost; a person decides */
        ToolCallOutcomeUnknownEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.outcome_unknown";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The call was sent and its result was lost; a person decides */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
                message: string;
            };
        };
        /** The call was stored, but not yet sent */
        ToolCallPlannedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.planned";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The call was stored, but not yet sent */
            data: {
                call_id: string;
                turn: number;
                /** Position among the calls of the turn */
                position: number;
                /** Id of the call in the model's message */
                tool_use_id: string;
                /** The wire name, server__tool */
                name: string;
                /** Absent for tools of the service itself and for unknown tools */
                server?: string;
                tool: string;
                arguments: {
                    [key: string]: unknown;
                };
                state: "planned" | "awaiting_approval";
                /** Whether the call may be sent again after a crash */
                repeatable: boolean;
                /**
                 * Decision of the approval policy
                 */
                decision?: "auto" | "remembered" | "ask" | "deny";
            };
        };
        /** Progress as the server reported it, at most 4 events a second */
        ToolCallProgressEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.progress";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** Progress as the server reported it, at most 4 events a second */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
                progress: number;
                total?: number;
                message?: string;
            };
        };
        /** All input requests of the call were answered */
        ToolCallResumedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.resumed";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** All input requests of the call were answered */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
            };
        };
        /** The call is planned again under the same idempotency key */
        ToolCallRetryingEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.retrying";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The call is planned again under the same idempotency key */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
                /**
                 * login_required: the call is sent when a person has logged in to the server, within delay_ms; logged_in: a person has logged in
                 */
                reason: "not_sent" | "connection_lost" | "process_ended" | "requested" | "login_required" | "logged_in";
                message?: string;
                delay_ms: number;
            };
        };
        /** The call waits for a connection to its server or for its turn in the rate limit of the server (this attempt was not sent), or for an input request that cannot yet be assigned to a call. It continues without action */
        ToolCallWaitingEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.waiting";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The call waits for a connection to its server or for its turn in the rate limit of the server (this attempt was not sent), or for an input request that cannot yet be assigned to a call. It continues without action */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
                reason: "connections_busy" | "connection_opening" | "server_restarting" | "question_held" | "rate_limited";
                message: string;
            };
        };
        /** The server runs the call as a task */
        ToolCallWorkingEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "tool_call.working";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The server runs the call as a task */
            data: {
                call_id: string;
                /** 0 before the first dispatch, then 1, 2, 3… */
                attempt: number;
                task_id: string;
            };
        };
        ToolList: {
            data: components["schemas"]["Tool"][];
            next_cursor?: string;
        };
        /** A model call was cancelled */
        TurnCancelledEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "turn.cancelled";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** A model call was cancelled */
            data: {
                /** 1, 2, 3… within the run */
                turn: number;
                message_id: string;
            };
        };
        /** A model call ended and its message is complete */
        TurnCompletedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "turn.completed";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** A model call ended and its message is complete */
            data: {
                /** 1, 2, 3… within the run */
                turn: number;
                message_id: string;
                stop_reason: string;
            };
        };
        /** A model call failed, `attempt` times in a row. If it is `retryable`, the run waits, and the turn has its next attempt at `next_attempt_at`. Otherwise the run fails */
        TurnFailedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "turn.failed";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** A model call failed, `attempt` times in a row. If it is `retryable`, the run waits, and the turn has its next attempt at `next_attempt_at`. Otherwise the run fails */
            data: {
                /** 1, 2, 3… within the run */
                turn: number;
                message_id: string;
                error: components["schemas"]["RunError"];
                /** Whether the same turn begins again with a new message_id; discard the text of this message */
                retryable: boolean;
                /** Consecutive failed attempts, when retryable */
                attempt?: number;
                /**
                 * Format: date-time
                 *
                 * Time of the next attempt, when retryable
                 */
                next_attempt_at?: string;
            };
        };
        /** The model is called again with a new message_id; discard the text of this message */
        TurnInterruptedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "turn.interrupted";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The model is called again with a new message_id; discard the text of this message */
            data: {
                /** 1, 2, 3… within the run */
                turn: number;
                message_id: string;
                reason: "process_ended" | "shutdown";
            };
        };
        /** The answer does not conform to output_schema; the model gets one repair attempt */
        TurnOutputRejectedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "turn.output_rejected";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** The answer does not conform to output_schema; the model gets one repair attempt */
            data: {
                /** 1, 2, 3… within the run */
                turn: number;
                message_id: string;
                problems: string[];
            };
        };
        /** A model call started */
        TurnStartedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "turn.started";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** A model call started */
            data: {
                /** 1, 2, 3… within the run */
                turn: number;
                message_id: string;
                /** Absent in events of earlier versions */
                provider?: string;
                model: string;
                /** Attempts of the turn since the last answer of the model, from 1 */
                attempt: number;
            };
        };
        UsableTools: {
            /** Tools that the model may use; default: all tools of the servers */
            allow?: string[];
            /** Tools that the model may not use, even if `allow` has them */
            deny?: string[];
        };
        Usage: {
            /** Tokens of the whole prompt, cached parts included */
            input: number;
            cache_read: number;
            cache_write: number;
            output: number;
            reasoning: number;
            source: "reported" | "partial" | "estimated";
            /** US dollars; absent without a known price */
            cost_usd?: number;
        };
        /** Tokens and cost of one model call */
        UsageUpdatedEvent: {
            run_id: string;
            /** 1, 2, 3… within the run; also the id of the server-sent event */
            seq: number;
            type: "usage.updated";
            /** Version of the shape of `data` */
            version: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            at: string;
            /** Tokens and cost of one model call */
            data: {
                /**
                 * server: a sampling request of an MCP server, charged to the run
                 */
                source: "agent" | "server";
                server?: string;
                call_id?: string;
                model: string;
                usage: components["schemas"]["Usage"];
                /** Totals of the run so far */
                total: components["schemas"]["Usage"];
            };
        };
        Webhook: {
            id: string;
            url: string;
            event_types: ("run.queued" | "run.started" | "run.input_required" | "run.resumed" | "run.completed" | "run.failed" | "run.cancelled" | "run.expired" | "inbox.opened" | "inbox.answered" | "inbox.expired" | "inbox.void")[];
            description?: string;
            /**
             * disabled: by a client, or because the endpoint answered with status 410; nothing is sent
             */
            state: "enabled" | "disabled";
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            disabled_at?: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
        };
        WebhookDelivery: {
            id: string;
            webhook_id: string;
            /** `webhook-id` header of every attempt: `RUN_ID:SEQ` */
            event_id: string;
            run_id: string;
            /** `seq` of the event in its run */
            seq: number;
            type: "run.queued" | "run.started" | "run.input_required" | "run.resumed" | "run.completed" | "run.failed" | "run.cancelled" | "run.expired" | "inbox.opened" | "inbox.answered" | "inbox.expired" | "inbox.void";
            /**
             * pending: waits for its first or next attempt; dead: the last attempt failed
             */
            state: "pending" | "delivered" | "dead";
            /** Attempts so far; one in progress counts */
            attempts: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            next_attempt_at?: string;
            /** HTTP status of the last response */
            last_status?: number;
            /** Reason of the last failure */
            last_error?: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            created_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            finished_at?: string;
        };
        WebhookDeliveryList: {
            data: components["schemas"]["WebhookDelivery"][];
            next_cursor?: string;
        };
        WebhookList: {
            data: components["schemas"]["Webhook"][];
            next_cursor?: string;
        };
        /**
         * @example {
         *       "event_types": [
         *         "run.failed"
         *       ],
         *       "enabled": true
         *     }
         */
        WebhookPatch: {
            /** https: URL at a public address, without user name and password; other addresses only if the configuration allows their network */
            url?: string;
            /** Events to announce from now on */
            event_types?: ("run.queued" | "run.started" | "run.input_required" | "run.resumed" | "run.completed" | "run.failed" | "run.cancelled" | "run.expired" | "inbox.opened" | "inbox.answered" | "inbox.expired" | "inbox.void")[];
            /** null removes it */
            description?: string | null;
            /** false: nothing more is sent, and pending deliveries end as dead. true: events are announced from now on, also after status 410 */
            enabled?: boolean;
        };
        Worker: {
            id: string;
            role: "api" | "worker" | "all";
            pid: number;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            started_at: string;
            /**
             * Format: date-time
             *
             * UTC, ISO 8601
             */
            heartbeat_at: string;
            /** false: its lease is over, and other workers continue its runs */
            is_alive: boolean;
            /** Model calls in progress */
            model_calls: number;
            /** Tool calls in progress */
            tool_calls: number;
        };
        WorkerList: {
            data: components["schemas"]["Worker"][];
            next_cursor?: string;
        };
    };
    responses: {
        /** The bearer token is missing or invalid */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** The Host or Origin header is not allowed */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** The request body is larger than 1 MiB */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** The request body is not JSON */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** Too many requests; retry later */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** The service or the MCP server is temporarily unavailable */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** The request failed */
        Problem: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** Id of the request, the same as in the service log */
        "X-Request-Id": string;
        /** Path of the resource */
        Location: string;
        /** `true` on the stored response to an earlier request with the same Idempotency-Key */
        "Idempotent-Replayed": "true";
        /** Seconds to wait before the next attempt */
        "Retry-After": number;
        /** `Bearer` */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
/** Parameters, bodies and responses of each operation by its id. */
export interface operations {
    listRuns: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
                /** At most 16 words separated by spaces, each of which must occur, also as a part of a word, in the id of the run, the name that its agent had when the run was created, the first 4,000 characters of its prompt or of its answer, or its error. Case, accents and invisible characters are ignored; all other characters are text. A page reads at most 200,000 runs, so it may have fewer runs than `limit`, or none, and a `next_cursor` to continue. */
                q?: string;
                /** Runs with this status; may be repeated for several statuses */
                status?: ("queued" | "running" | "input_required" | "cancelling" | "completed" | "failed" | "cancelled" | "expired") | ("queued" | "running" | "input_required" | "cancelling" | "completed" | "failed" | "cancelled" | "expired")[];
                kind?: "agent" | "call";
                /** Metadata entries to match, as `metadata.NAME=VALUE` or `metadata[NAME]=VALUE` */
                metadata?: {
                    [key: string]: string;
                };
                thread_id?: string;
                agent_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createRun: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
                /** `wait=N`: seconds to wait until the run is settled, at most 60 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRun"];
            };
        };
        responses: {
            /** The settled run (with `Prefer: wait=N`), or its event stream (with `accept: text/event-stream`) */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                    "text/event-stream": components["schemas"]["RunStreamFrame"];
                };
            };
            /** Accepted */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    forkRun: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
                /** `wait=N`: seconds to wait until the run is settled, at most 60 */
                Prefer?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFork"];
            };
        };
        responses: {
            /** The settled run (with `Prefer: wait=N`), or its event stream (with `accept: text/event-stream`) */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                    "text/event-stream": components["schemas"]["RunStreamFrame"];
                };
            };
            /** Accepted */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelRun"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    resumeRun: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
                /** `wait=N`: seconds to wait until the run is settled, at most 60 */
                Prefer?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResumeRun"];
            };
        };
        responses: {
            /** The settled run (with `Prefer: wait=N`), or its event stream (with `accept: text/event-stream`) */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                    "text/event-stream": components["schemas"]["RunStreamFrame"];
                };
            };
            /** Accepted */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource is unchanged, the answer is 304 without a body */
                "If-None-Match"?: string;
                /** `wait=N`: seconds to wait until the run is settled, at most 60 */
                Prefer?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** Not Modified */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteRun: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource has changed since, nothing is done (412) */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** No Content */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    updateRun: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource has changed since, nothing is done (412) */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunPatch"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listRunMessages: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listToolCalls: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCallList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listRunEvents: {
        parameters: {
            query?: {
                /** Events with a greater seq; default 0, or the Last-Event-ID header */
                after?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
                /** For a JSON page */
                limit?: number;
                /** Comma-separated types: only these events, and the event that ends the run; a stream has deltas only with `message.delta` */
                types?: string;
            };
            header?: {
                /** For a stream: id of the last event that the client received; the stream continues after it */
                "Last-Event-ID"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of events, or the stream of the run */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunEventPage"];
                    "text/event-stream": components["schemas"]["RunStreamFrame"];
                };
            };
            /** No Content */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listTools: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    callTool: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
                /** `wait=N`: seconds to wait until the run is settled, at most 60 */
                Prefer?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCall"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallRun"];
                };
            };
            /** Accepted */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallRun"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    cancelToolCall: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                call_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelCall"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCall"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getToolCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                call_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCall"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listThreads: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
                /** Metadata entries to match, as `metadata.NAME=VALUE` or `metadata[NAME]=VALUE` */
                metadata?: {
                    [key: string]: string;
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createThread: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewThread"];
            };
        };
        responses: {
            /** Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Thread"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getThread: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource is unchanged, the answer is 304 without a body */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Thread"];
                };
            };
            /** Not Modified */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    replaceThread: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource has changed since, nothing is done (412) */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewThread"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Thread"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteThread: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource has changed since, nothing is done (412) */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** No Content */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    updateThread: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource has changed since, nothing is done (412) */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ThreadPatch"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Thread"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listThreadMessages: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listAgents: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAgent"];
            };
        };
        responses: {
            /** Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource is unchanged, the answer is 304 without a body */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** Not Modified */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    replaceAgent: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource has changed since, nothing is done (412) */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAgent"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteAgent: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource has changed since, nothing is done (412) */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** No Content */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listAgentVersions: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentVersionList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getAgentVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentVersion"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listModels: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
                /** Models of this provider only */
                provider?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Name of a model as in a run; the slash of provider/model is encoded as %2F */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Model"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createArtifact: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/plain": string;
                "application/octet-stream": string;
            };
        };
        responses: {
            /** Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listUploads: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listArtifacts: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getArtifact: {
        parameters: {
            query?: never;
            header?: {
                /** `bytes=FROM-TO`, `bytes=FROM-` or `bytes=-LAST` */
                Range?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The text or the bytes of the artifact, or the requested range */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/octet-stream": string;
                };
            };
            /** The text or the bytes of the artifact, or the requested range */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            416: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The text format of Prometheus */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listInboxItems: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
                run_id?: string;
                state?: "open" | "answered" | "delivered" | "void" | "expired";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    respondToInboxItem: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InboxResponse"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxItem"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getInboxItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxItem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    reconnectServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerMode"];
            };
        };
        responses: {
            /** Accepted */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    drainServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerMode"];
            };
        };
        responses: {
            /** Accepted */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getServerLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerLog"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            501: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    approveServerTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveTool"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    approveTools: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveTools"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovedTools"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    setServerRoots: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerRoots"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    beginServerLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginStart"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedLogin"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    logOutOfServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedOut"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    receiveLoginRedirect: {
        parameters: {
            query: {
                /** Identifies the login */
                state: string;
                code?: string;
                /** Issuer of the authorization server (RFC 9207) */
                iss?: string;
                error?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page about the outcome */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["Problem"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listServers: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerDetail"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteServer: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of the definition to remove; if it has changed since, 412 */
                "If-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** No Content */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listServerTools: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listServerResources: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listServerResourceTemplates: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listServerPrompts: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readServerResource: {
        parameters: {
            query: {
                /** The URI of the resource */
                uri: string;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourceContentList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getServerPrompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                prompt: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Arguments by name; all values are strings */
                    arguments?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptResult"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    completeServerArgument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompletionRequest"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompletionValues"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    followServerChanges: {
        parameters: {
            query?: {
                /** URIs of resources to follow; may be repeated */
                uri?: string | string[];
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The changes, until the client disconnects */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ServerChangeFrame"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            501: components["responses"]["Problem"];
            502: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getServerDefinition: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource is unchanged, the answer is 304 without a body */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerDefinition"];
                };
            };
            /** Not Modified */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    putServerDefinition: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of the definition to replace, or `*`; if it has changed since, 412 */
                "If-Match"?: string;
                /** `*` adds a server; if there is a server of that name, 412 */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerDefinitionInput"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerDefinition"];
                };
            };
            /** Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerDefinition"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            428: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
                run_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    forgetApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** No Content */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                run_id?: string;
                /** `next_cursor` of the previous page */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSchedule"];
            };
        };
        responses: {
            /** Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource is unchanged, the answer is 304 without a body */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** Not Modified */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource has changed since, nothing is done (412) */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** No Content */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    updateSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource has changed since, nothing is done (412) */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SchedulePatch"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource is unchanged, the answer is 304 without a body */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** Not Modified */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource has changed since, nothing is done (412) */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** No Content */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** `ETag` of a response; if the resource has changed since, nothing is done (412) */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookPatch"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            412: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecretRotation"];
            };
        };
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
                /** pending: waits for its first or next attempt; dead: the last attempt failed */
                state?: "pending" | "delivered" | "dead";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    resendWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true` */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Accepted */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["Problem"];
            409: components["responses"]["Problem"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getStats: {
        parameters: {
            query?: {
                /** Default: 24 hours before `to` */
                from?: string;
                /** Exclusive; default: now */
                to?: string;
                /** Seconds of one entry; at most 1000 fit between `from` and `to` */
                interval?: number;
                kind?: "agent" | "call";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listWorkers: {
        parameters: {
            query?: {
                limit?: number;
                /** `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkerList"];
                };
            };
            400: components["responses"]["Problem"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Problem"];
        };
    };
}
