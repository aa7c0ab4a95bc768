use super::*;
use g1t_domain::PullNumber;
use g1t_domain::queue::EjectionCode;

#[test]
fn mq_37_the_failed_run_says_what_was_tested_and_what_brings_it_back() {
    let oid = |digit: &str| Oid::parse(&digit.repeat(40)).expect("40 digits");
    let ejection = Ejection {
        code: EjectionCode::ChecksFailed,
        details: vec!["`audit` failed.".to_owned()],
        candidate: Some(oid("c")),
        onto: Some(oid("b")),
        ahead: vec![PullNumber(3), PullNumber(5)],
    };
    assert_eq!(
        summary("main", &ejection),
        "Tested commit: `cccccccccccccccccccccccccccccccccccccccc`\n\
         Built on: `bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb`\n\
         Together with: #3, #5\n\
         - `audit` failed.\n\n\
         Push a commit that passes and queue it again."
    );
}
