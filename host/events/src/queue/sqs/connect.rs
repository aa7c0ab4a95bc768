//! Which SQS, as whom.

use aws_config::BehaviorVersion;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::{Credentials, Region};
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;

use crate::limits::{SQS_ATTEMPT, SQS_ATTEMPTS, SQS_CONNECT};

/// Region where the queue's address names none and neither the environment nor the machine does: any will do for a
/// server that only speaks the protocol.
const REGION_OF_NOWHERE: &str = "us-east-1";

/// Where a queue is.
#[derive(Debug, Clone)]
pub struct SqsSettings {
    /// Its address. One that ends in `.fifo` is a FIFO queue, any other a standard one.
    pub queue_url: String,
    /// What to connect to, instead of AWS or of what `AWS_ENDPOINT_URL` says.
    pub endpoint: Option<String>,
    /// Key id and secret, instead of what AWS's environment variables, files or machine roles give.
    pub credentials: Option<(String, String)>,
}

impl SqsSettings {
    /// The queue at `queue_url`, all else from the environment.
    pub fn new(queue_url: impl Into<String>) -> Self {
        Self {
            queue_url: queue_url.into(),
            endpoint: None,
            credentials: None,
        }
    }
}

/// A client of AWS for the queue.
pub(super) async fn client(settings: &SqsSettings) -> Client {
    let http = aws_smithy_http_client::Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        .build_https();
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(SQS_CONNECT)
        .operation_attempt_timeout(SQS_ATTEMPT)
        .build();
    let mut loader = aws_config::defaults(BehaviorVersion::latest())
        .http_client(http)
        .timeout_config(timeouts)
        .retry_config(RetryConfig::standard().with_max_attempts(SQS_ATTEMPTS));
    // The queue is where its address says, whatever the environment says.
    if let Some(region) = region_of(&settings.queue_url) {
        loader = loader.region(Region::new(region));
    }
    if let Some(endpoint) = &settings.endpoint {
        loader = loader.endpoint_url(endpoint);
    }
    if let Some((id, secret)) = &settings.credentials {
        loader = loader.credentials_provider(Credentials::new(id, secret, None, None, "settings"));
    }
    let shared = loader.load().await;
    let mut config = aws_sdk_sqs::config::Builder::from(&shared);
    if shared.region().is_none() {
        config = config.region(Region::new(REGION_OF_NOWHERE));
    }
    Client::from_conf(config.build())
}

/// The region that a queue's address names: `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME`.
fn region_of(queue_url: &str) -> Option<String> {
    let host = queue_url.split_once("://")?.1;
    let region = host.strip_prefix("sqs.")?.split_once('.')?.0;
    Some(region.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_region_is_the_one_of_the_address() {
        let region = |url| region_of(url);
        assert_eq!(
            region("https://sqs.eu-central-1.amazonaws.com/1/g1t.fifo").as_deref(),
            Some("eu-central-1")
        );
        assert_eq!(region("http://127.0.0.1:4566/1/g1t.fifo"), None);
    }
}
