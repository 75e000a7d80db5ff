/** Settings of the clients with which commands call AWS. */
import { type AgentOptions, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type EnvironmentName, environments } from '../../environments.ts'
import { createCommandRetryStrategy } from './retry-strategy.ts'

/**
 * Time limits of one attempt of a call, on AWS and locally. A call that gets no answer ends within two minutes, after
 * eight attempts (`retry-strategy.ts`) of at most 13 seconds, because the SDK begins to count `socketTimeout` up to
 * three seconds late, and some seconds of waits.
 */
export const timeLimits = {
  /** Milliseconds until there is a connection. */
  connectionTimeout: 5_000,
  /** Milliseconds without a byte. */
  socketTimeout: 10_000,
}

/** Creates the settings of a client of AWS that works on a deployed environment. */
export const createAwsClientSettings = (name: EnvironmentName) => {
  const agentOptions: AgentOptions = { keepAlive: true, maxSockets: 50 }
  // Node.js uses the proxies of the environment only in its global agent, or in an agent with `proxyEnv`, and the SDK
  // has agents of its own (Node.js documentation, "Built-in Proxy Support").
  if (process.env['NODE_USE_ENV_PROXY'] === '1') agentOptions.proxyEnv = process.env

  const { region } = environments[name]
  return {
    // Without a region in infra/environments.ts, the SDK uses AWS_REGION or the profile.
    ...(region === undefined ? {} : { region }),
    requestHandler: {
      ...timeLimits,
      httpAgent: new HttpAgent(agentOptions),
      httpsAgent: new HttpsAgent(agentOptions),
    },
    retryStrategy: createCommandRetryStrategy(),
  }
}
